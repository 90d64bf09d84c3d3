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
write_json(list(tool = R.version.string, packages = list(BradleyTerry2 = as.character(packageVersion("BradleyTerry2"))),
  no_ties = no_ties, ties = ties), args[2], digits = NA, auto_unbox = TRUE, pretty = TRUE)
