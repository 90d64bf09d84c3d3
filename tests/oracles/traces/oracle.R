# Witness of believable.traces. Usage: Rscript oracle.R input.json output.json
suppressMessages({library(jsonlite); library(zoo); library(vcd)})
args <- commandArgs(TRUE)
input <- fromJSON(args[1], simplifyVector = TRUE, simplifyMatrix = FALSE, simplifyDataFrame = FALSE)
nums <- function(x) as.numeric(unlist(x))

resampled <- function(e, fill) {
  bins <- ceiling(e$duration_ms / 250); b <- nums(e$t_ms) %/% 250
  means <- tapply(nums(e$value), factor(b, levels = 0:(bins - 1)), mean)
  x <- as.numeric(means)
  if (fill == "zero") { x[is.na(x)] <- 0; return(x) }
  if (fill == "hold_last") {
    last <- tapply(nums(e$value), factor(b, levels = 0:(bins - 1)), function(v) v[length(v)])
    carried <- na.locf(c(0, as.numeric(last)), na.rm = FALSE)[seq_len(bins)]
    return(ifelse(is.na(x), carried, x))
  }
  na.locf(c(0, x), na.rm = FALSE)[-1]
}
windowed <- function(x, per) {
  groups <- split(x, (seq_along(x) - 1) %/% per)
  kept <- groups[lengths(groups) * 2 >= per]
  unname(sapply(kept, mean))
}
minmax <- function(x) (x - min(x)) / (max(x) - min(x))
steps <- function(x, tol) { d <- diff(x); ifelse(abs(d) <= tol, 0, sign(d)) }
cut2 <- function(p) { n <- min(length(p[[1]]), length(p[[2]])); list(nums(p[[1]])[1:n], nums(p[[2]])[1:n]) }
sda <- function(p, tol) { c2 <- cut2(p); mean(ifelse(steps(c2[[1]], tol) == steps(c2[[2]], tol), 1, -1)) }
kappa <- function(p, tol) {
  c2 <- cut2(p); l <- c(-1, 0, 1); a <- steps(c2[[1]], tol); b <- steps(c2[[2]], tol)
  used <- l[l %in% c(a, b)]; unname(Kappa(table(factor(a, used), factor(b, used)))$Unweighted["value"])
}
# The recursion of the definition, cell by cell.
dtw <- function(a, b, square, window = Inf) {
  n <- length(a); m <- length(b); D <- matrix(Inf, n + 1, m + 1); D[1, 1] <- 0
  for (i in 1:n) for (j in 1:m) if (abs(i - j) <= window) {
    c <- if (square) (a[i] - b[j])^2 else abs(a[i] - b[j])
    D[i + 1, j + 1] <- c + min(D[i, j], D[i, j + 1], D[i + 1, j])
  }
  D[n + 1, m + 1]
}
dtw_pair <- function(p) {
  a <- nums(p[[1]]); b <- nums(p[[2]])
  list(abs = dtw(a, b, FALSE), square = dtw(a, b, TRUE), abs_window_8 = dtw(a, b, FALSE, 8))
}
# Each trace moved to where it correlates best with the median of the others (nearest shift of equals), then the mean.
lag_aligned <- function(x, most) {
  n <- ncol(x); tried <- order(abs(-most:most)); lags <- (-most:most)[tried]
  shift <- sapply(seq_len(nrow(x)), function(k) { rest <- apply(x[-k, ], 2, median)
    r <- sapply(lags, function(s) { i <- seq_len(n); j <- i + s; ok <- j >= 1 & j <= n; cor(x[k, j[ok]], rest[i[ok]]) })
    lags[which.max(round(r, 11))] })
  shift <- shift - trunc(median(shift))
  colMeans(do.call(rbind, lapply(seq_len(nrow(x)), function(k) x[k, pmin(pmax(seq_len(n) + shift[k], 1), n)])))
}
group <- function(g) {
  t <- lapply(g, nums); k <- length(t)
  D <- outer(1:k, 1:k, Vectorize(function(i, j) if (i == j) 0 else dtw(t[[i]], t[[j]], FALSE)))
  zero <- sapply(t, function(x) dtw(minmax(x), rep(0, length(x)), FALSE)); total <- rowSums(D); x <- do.call(rbind, t)
  list(matrix = D, inactive = list(distances = zero, kept = zero >= mean(zero) - 2 * sd(zero)),
       consensus = list(distances = total, kept = abs(total - mean(total)) <= 1.5 * sd(total)),
       median = apply(x, 2, median), mean = colMeans(x), median_without_first = apply(x[-1, ], 2, median),
       lag_aligned = lag_aligned(x, 6))
}
lag <- function(l) {
  a <- nums(l$a); b <- nums(l$truth); n <- length(a)
  r <- sapply(0:(l$max_ms / l$step_ms), function(s) cor(a[(1 + s):n], b[1:(n - s)])); (which.max(r) - 1) * l$step_ms
}
counts <- function(x) {
  w <- minmax(windowed(nums(x), 4)); m <- mean(w); d <- diff(w)
  list(high = sum(w > m + .1), low = sum(w < m - .1), high_neutral = sum(w > .75), low_neutral = sum(w < .25),
       rises = sum(d > .1), falls = sum(d < -.1))
}
fills <- c("hold", "hold_last", "zero")
output <- list(
  tool = R.version.string, packages = list(zoo = as.character(packageVersion("zoo")), vcd = as.character(packageVersion("vcd"))),
  resample = lapply(input$events, function(e) setNames(lapply(fills, function(f) resampled(e, f)), fills)),
  windows = lapply(input$traces, function(x) windowed(nums(x), 12)),
  normalise = lapply(input$traces, function(x) minmax(nums(x))),
  sda = lapply(input$pairs, function(p) list(exact = sda(p, 0), tolerant = sda(p, .5))),
  direction_kappa = lapply(input$pairs, function(p) list(exact = kappa(p, 0), tolerant = kappa(p, .5))),
  dtw = lapply(input$pairs, dtw_pair),
  groups = lapply(input$groups, group),
  lag = lapply(input$lag, lag),
  counts = lapply(input$traces, counts)
)
writeLines(toJSON(output, auto_unbox = TRUE, digits = 15, pretty = FALSE), args[2])
