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
  sessions = lapply(input$sessions, function(s) 100 * ratio(s$flagged, s$viewed)),
  hntt = lapply(input$accuracy, hntt)
)
writeLines(toJSON(output, auto_unbox = TRUE, digits = 15, pretty = TRUE), args[2])
