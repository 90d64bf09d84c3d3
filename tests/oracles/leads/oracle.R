# Witness of believable.stats.strength_contrasts: leads, and what their variance is made of. Base R and jsonlite only.
# Usage: Rscript oracle.R input.json output.json
suppressMessages(library(jsonlite))
args <- commandArgs(TRUE)
input <- fromJSON(args[1], simplifyDataFrame = FALSE)

# Davidson's model by direct maximization of its likelihood, written out from his chances; judgements' scores by numeric derivatives.
# The variance of a function of the parameters is a double sum over judgements that share a judge or a clip.
clustered <- lapply(input$clustered, function(s) {
  items <- sort(unique(c(s$left, s$right))); k <- length(items); n <- length(s$left)
  l <- match(s$left, items); r <- match(s$right, items); won <- match(s$winner, c("left", "right", "tie"))
  each <- function(b) { full <- c(0, b[seq_len(k - 1)]); half <- (full[l] - full[r]) / 2
    logits <- cbind(half, -half, b[k]); logits[cbind(seq_len(n), won)] - log(rowSums(exp(logits))) }
  loss <- function(b) -sum(each(b))
  slope <- function(b, f, h = 1e-5) sapply(seq_along(b), function(i) (f(replace(b, i, b[i] + h)) - f(replace(b, i, b[i] - h))) / (2 * h))
  b <- nlm(loss, rep(0, k), gradtol = 1e-12, steptol = 1e-14, iterlim = 1000)$estimate
  for (step in 1:5) { H <- optimHess(b, loss, function(b) slope(b, loss)); b <- b - as.vector(solve(H, slope(b, loss))) }
  B <- solve(optimHess(b, loss, function(b) slope(b, loss))); F <- slope(b, each) %*% B
  G <- length(unique(s$judge)); clips <- unique(c(s$left_clip, s$right_clip))
  owner <- sapply(clips, function(c) c(s$left, s$right)[match(c, c(s$left_clip, s$right_clip))])
  times <- sapply(clips, function(c) sum(c(s$left_clip, s$right_clip) == c)); share <- times / tapply(times, owner, sum)[owner]
  both <- paste(pmin(s$left_clip, s$right_clip), pmax(s$left_clip, s$right_clip))
  spread <- function(w) { g <- as.vector(F %*% w)
    judges <- sum(tapply(g, s$judge, sum)^2) * G / (G - 1)
    squares <- sapply(clips, function(c) sum(g[s$left_clip == c]) + sum(g[s$right_clip == c]))^2 / (1 - share)
    by_clip <- sum(squares) - sum(tapply(g, both, sum)^2)
    cells <- sum(sapply(unique(s$judge), function(j) { own <- s$judge == j
      sum(sapply(clips, function(c) sum(g[own & s$left_clip == c]) + sum(g[own & s$right_clip == c]))^2) - sum(tapply(g[own], both[own], sum)^2) }))
    df <- min(G - 1, sum(squares)^2 / sum(tapply(squares, owner, function(x) sum(x)^2 / (length(x) - 1))))
    list(se = sqrt(max(judges + by_clip - cells, judges, by_clip)), df = df, own = c(max(judges - cells, 0), max(by_clip - cells, 0), cells)) }
  pairs <- t(combn(k, 2)); out <- apply(pairs, 1, function(p) {
    lead <- function(b) { full <- c(0, b[seq_len(k - 1)]); half <- (full[p[1]] - full[p[2]]) / 2
      chances <- exp(c(half, -half, b[k])); (chances[1] - chances[2]) / sum(chances) }
    at <- lead(b); found <- spread(slope(b, lead)); reach <- qt(.975, found$df) * found$se / (1 - at^2)
    w <- rep(0, k + 1); w[p[1]] <- 1; w[p[2]] <- -1; apart <- spread(w[-1]); own <- apart$own
    z <- atanh(at); se <- found$se / (1 - at^2); m <- atanh(s$margin / 4)
    c(at, found$se, found$df, tanh(z - reach), tanh(z + reach), own / sum(own), max(pt((-m - z) / se, found$df), pt((z - m) / se, found$df)),
      sum(w[-1] * b), apart$se, apart$df) })
  list(first = items[pairs[, 1]], second = items[pairs[, 2]], lead = out[1, ], se = out[2, ], df = out[3, ], low = out[4, ], high = out[5, ],
    share_judges = out[6, ], share_clips = out[7, ], share_rest = out[8, ], tost = out[9, ],
    apart = out[10, ], apart_se = out[11, ], apart_df = out[12, ]) })
# The change of a difference from one sample to the other, for pairs of both: Welch's test.
names_of <- function(s) paste(s$first, s$second)
common <- intersect(names_of(clustered[[1]]), names_of(clustered[[2]]))
drift <- lapply(common, function(pair) { part <- lapply(clustered, function(s) lapply(s, function(x) x[match(pair, names_of(s))]))
  v <- c(part[[1]]$apart_se, part[[2]]$apart_se)^2; change <- part[[2]]$apart - part[[1]]$apart; se <- sqrt(sum(v))
  df <- sum(v)^2 / sum(v^2 / c(part[[1]]$apart_df, part[[2]]$apart_df))
  list(first = part[[1]]$first, second = part[[1]]$second, change = change, se = se, df = df, p = 2 * pt(-abs(change / se), df)) })
write_json(list(tool = R.version.string, clustered = clustered, drift = drift), args[2], digits = NA, auto_unbox = TRUE, pretty = TRUE)
