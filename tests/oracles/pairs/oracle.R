# Witness of believable.stats.pairs. Usage: Rscript oracle.R input.json output.json
suppressMessages({library(jsonlite); library(BradleyTerry2)})
args <- commandArgs(TRUE)
input <- fromJSON(args[1], simplifyDataFrame = FALSE)

centred <- function(coefficients, V) { k <- length(coefficients); A <- rbind(0, diag(k)); C <- diag(k + 1) - 1 / (k + 1)
  full <- C %*% A; list(value = as.vector(full %*% coefficients), se = sqrt(diag(full %*% V %*% t(full)))) }
no_ties <- lapply(input$no_ties, function(s) {
  items <- sort(unique(c(s$left, s$right))); win <- as.integer(s$winner == "left")
  d <- data.frame(win = win); d$left <- data.frame(item = factor(s$left, items)); d$right <- data.frame(item = factor(s$right, items))
  m <- BTm(cbind(win, 1 - win), left, right, ~item, id = "item", data = d)
  X <- outer(s$left, items[-1], "==") - outer(s$right, items[-1], "=="); e <- win - plogis(X %*% coef(m)[seq_len(ncol(X))])
  scores <- rowsum(X * as.vector(e), s$judge); B <- vcov(m); G <- nrow(scores)
  judge <- B %*% crossprod(scores) %*% B * G / (G - 1)
  out <- centred(coef(m), vcov(m)); out$judge_se <- centred(coef(m), judge)$se; out$judges <- G
  out$loglik <- as.numeric(logLik(m)); out$items <- items; out })
# Davidson's model as a Poisson log-linear model (Fienberg & Larntz 1976): an independent route to the same estimates.
ties <- lapply(input$ties, function(s) {
  items <- sort(unique(c(s$left, s$right))); n <- length(s$left); rows <- NULL
  for (o in c("left", "right", "tie")) rows <- rbind(rows, data.frame(id = factor(seq_len(n)), y = as.integer(s$winner == o), o = o))
  L <- outer(s$left, items[-1], "==") * 1; Rr <- outer(s$right, items[-1], "==") * 1
  X <- rbind((L - Rr) / 2, (Rr - L) / 2, matrix(0, n, length(items) - 1)); tie <- as.numeric(rows$o == "tie")
  m <- glm(rows$y ~ 0 + rows$id + X + tie, family = poisson, control = list(epsilon = 1e-14, maxit = 100))
  keep <- seq.int(n + 1, n + ncol(X)); b <- coef(m)[keep]; V <- vcov(m)[keep, keep]
  out <- centred(b, V); out$tie <- unname(exp(coef(m)[n + ncol(X) + 1])); out$log_tie_se <- unname(sqrt(diag(vcov(m))[n + ncol(X) + 1]))
  half <- as.numeric(s$winner == "left") + .5 * (s$winner == "tie")
  h <- suppressWarnings(glm(half ~ 0 + I(L - Rr), family = binomial, control = list(epsilon = 1e-14)))
  out$half <- centred(coef(h), vcov(h))$value; out$items <- items; out })
# Elo and shares won from their definitions, on the samples with and without ties; Wilson's interval by prop.test.
rates <- lapply(c(input$no_ties, input$ties), function(s) {
  items <- sort(unique(c(s$left, s$right))); score <- ifelse(s$winner == "left", 1, ifelse(s$winner == "tie", .5, 0))
  rating <- setNames(rep(1000, length(items)), items)
  for (r in seq_along(score)) { l <- s$left[r]; g <- s$right[r]
    change <- 4 * (score[r] - 1 / (1 + 10^((rating[[g]] - rating[[l]]) / 400)))
    rating[[l]] <- rating[[l]] + change; rating[[g]] <- rating[[g]] - change }
  long <- data.frame(item = c(s$left, s$right), other = c(s$right, s$left), score = c(score, 1 - score))
  mine <- lapply(items, function(i) long[long$item == i, ])
  interval <- lapply(mine, function(m) if (any(m$score == .5)) as.numeric(t.test(m$score)$conf.int)
    else as.numeric(prop.test(sum(m$score), nrow(m), correct = FALSE)$conf.int))
  list(items = items, elo = unname(rating), wins = sapply(mine, function(m) sum(m$score == 1)),
    ties = sapply(mine, function(m) sum(m$score == .5)), share = sapply(mine, function(m) mean(m$score)), interval = interval,
    average = sapply(mine, function(m) mean(tapply(m$score, m$other, mean)))) })
# Davidson's model with intervals by judge and clip: the sandwich as a double sum over all judgements, with one matrix that says
# which of them share a judge, and one that says how much they share of clips.
clustered <- lapply(input$clustered, function(s) {
  items <- sort(unique(c(s$left, s$right))); k <- length(items); n <- length(s$left); rows <- NULL
  for (o in c("left", "right", "tie")) rows <- rbind(rows, data.frame(id = factor(seq_len(n)), y = as.integer(s$winner == o), o = o))
  L <- outer(s$left, items[-1], "==") * 1; Rr <- outer(s$right, items[-1], "==") * 1
  X <- rbind((L - Rr) / 2, (Rr - L) / 2, matrix(0, n, k - 1)); tie <- as.numeric(rows$o == "tie")
  m <- glm(rows$y ~ 0 + rows$id + X + tie, family = poisson, control = list(epsilon = 1e-14, maxit = 100))
  keep <- seq.int(n + 1, n + ncol(X) + 1); b <- coef(m)[keep]; B <- vcov(m)[keep, keep]
  U <- rowsum(cbind(X, tie) * as.vector(rows$y - fitted(m)), rep(seq_len(n), 3)) # scores of the judgements
  F <- U %*% B
  G <- length(unique(s$judge)); judge <- outer(s$judge, s$judge, "==") * 1
  clips <- c(s$left_clip, s$right_clip); owner <- c(s$left, s$right)
  share <- sapply(clips, function(c) sum(clips == c) / sum(owner == owner[match(c, clips)]))
  sl <- share[seq_len(n)]; sr <- share[n + seq_len(n)]
  same <- function(a, b, w) outer(a, b, "==") * (1 / (1 - w))
  weighted <- same(s$left_clip, s$left_clip, sl) + same(s$left_clip, s$right_clip, sl) +
    same(s$right_clip, s$left_clip, sr) + same(s$right_clip, s$right_clip, sr)
  plain <- outer(s$left_clip, s$left_clip, "==") + outer(s$left_clip, s$right_clip, "==") +
    outer(s$right_clip, s$left_clip, "==") + outer(s$right_clip, s$right_clip, "==")
  parts <- list(judges = judge * G / (G - 1), clips = weighted - (plain == 2), cells = judge * (plain > 0))
  V <- lapply(parts, function(M) t(F) %*% M %*% F)
  pairs <- t(combn(k, 2)); out <- apply(pairs, 1, function(p) {
    l <- rep(0, k + 1); l[p[1]] <- 1; l[p[2]] <- -1; l <- l[-1]
    v <- sapply(V, function(M) as.vector(t(l) %*% M %*% l)); se <- sqrt(max(v[["judges"]] + v[["clips"]] - v[["cells"]], v[["judges"]], v[["clips"]]))
    g <- F %*% l; by_clip <- sapply(unique(clips), function(c) sum(g[s$left_clip == c]) + sum(g[s$right_clip == c]))
    w <- share[match(unique(clips), clips)]; squares <- by_clip^2 / (1 - w); item <- owner[match(unique(clips), clips)]
    df <- min(G - 1, sum(squares)^2 / sum(tapply(squares, item, function(x) sum(x)^2 / (length(x) - 1))))
    value <- sum(l * b); t <- value / se
    c(value, se, df, 2 * pt(-abs(t), df), max(pt((-s$margin - value) / se, df), pt((value - s$margin) / se, df))) })
  adjusted <- p.adjust(out[4, ], "holm"); full <- c(0, b[seq_len(k - 1)])
  stronger <- sapply(seq_len(k), function(i) sum(adjusted < .3 & ((pairs[, 1] == i & out[1, ] < 0) | (pairs[, 2] == i & out[1, ] > 0))))
  weaker <- sapply(seq_len(k), function(i) sum(adjusted < .3 & ((pairs[, 1] == i & out[1, ] > 0) | (pairs[, 2] == i & out[1, ] < 0))))
  list(items = items, first = items[pairs[, 1]], second = items[pairs[, 2]], value = out[1, ], se = out[2, ], df = out[3, ], p = out[4, ],
    holm = adjusted, tost = out[5, ], rank = unname(rank(-full)), best = 1 + stronger, worst = k - weaker) })
write_json(list(tool = R.version.string, packages = list(BradleyTerry2 = as.character(packageVersion("BradleyTerry2"))),
  no_ties = no_ties, ties = ties, rates = rates, clustered = clustered), args[2], digits = NA, auto_unbox = TRUE, pretty = TRUE)
