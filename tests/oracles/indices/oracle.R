# Witness of believable.stats.indices. Usage: Rscript oracle.R input.json output.json
suppressMessages({library(jsonlite); library(boot)})
args <- commandArgs(TRUE)
input <- fromJSON(args[1], simplifyVector = TRUE, simplifyMatrix = TRUE, simplifyDataFrame = FALSE)
# Wilson's interval, as prop.test gives it without the correction; with another n and quantile by its own formula.
score <- function(p, n, z) ((p + z^2 / (2 * n)) + c(-1, 1) * z * sqrt(p * (1 - p) / n + z^2 / (4 * n^2))) / (1 + z^2 / n)
ratio <- function(parts, wholes) {
  n <- length(parts); b <- sum(parts) / sum(wholes)
  v <- n / (n - 1) * sum((parts - b * wholes)^2) / sum(wholes)^2
  c(b, score(b, b * (1 - b) / v, qt(.975, n - 1)))
}
# Flags of one session hang together: the design effect from the spread between sessions (residuals over 1 - leverage, as
# vcovHC type HC2 of a weighted regression on a constant), at least its mean with a prior of correlation .15 worth 20 flags.
sessions <- function(x) {
  w <- x$viewed; k <- sum(x$flagged); p <- k / sum(w); n <- length(w)
  prior <- 1 + .15 * (weighted.mean(w, w) - 1)
  m <- lm(x$flagged / w ~ 1, weights = w)
  v <- if (p > 0 && p < 1) sum((w * residuals(m))^2 / (1 - hatvalues(m))) / sum(w)^2 else NA
  d <- if (is.na(v)) prior else { s <- v * sum(w) / (p * (1 - p)); e <- min(k, sum(w) - k) - 1; max(s, (e * s + 20 * prior) / (e + 20)) }
  c(p, score(p, sum(w) / d, qt(.975, n - 1)))
}
clips <- function(x) {
  h <- abs(x$ratings - 5) / 4; e <- x$experience; n <- nrow(h); m <- ncol(h)
  w <- e * h / mean(e)
  human <- rowSums(x$ratings <= 2); known <- rowSums(x$ratings != 3)
  list(index = sum(w) / (n * m), interval = ratio(e * rowMeans(h), e), confidence = mean(e) / 5,
       confidence_interval = unname(t.test(e)$conf.int[1:2]) / 5,
       recall = ratio(human, rep(m, n)), recall_left_out = ratio(human[known > 0], known[known > 0]))
}
rate <- function(x) {
  p <- suppressWarnings(prop.test(x$flagged, x$viewed, correct = FALSE)); list(rate = 100 * x$flagged / x$viewed, interval = 100 * p$conf.int[1:2])
}
hntt <- function(x) {
  set.seed(7); b <- boot(x, function(d, i) median(d[i]), R = 20000)
  list(median = median(x), quartiles = unname(quantile(x, c(.25, .75))), interval = unname(quantile(b$t, c(.025, .975))))
}
output <- list(
  tool = R.version.string, packages = list(boot = as.character(packageVersion("boot"))),
  clips = lapply(input$clips, clips), rates = lapply(input$rates, rate),
  sessions = lapply(input$sessions, function(s) 100 * sessions(s)),
  hntt = lapply(input$accuracy, hntt)
)
writeLines(toJSON(output, auto_unbox = TRUE, digits = 15, pretty = TRUE), args[2])
