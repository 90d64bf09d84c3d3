# Witness of small functions that others rest on. Usage: Rscript oracle.R input.json output.json
library(jsonlite)
args <- commandArgs(TRUE)
input <- fromJSON(args[1], simplifyVector = TRUE, simplifyMatrix = TRUE, simplifyDataFrame = FALSE)
each <- function(cases, f) lapply(cases, f)
# Labels of a BTrace: base R's sign, and scale() of the range.
btrace <- function(x) list(sign = c(0, .5, 1)[match(sign(x), c(-1, 0, 1))], mean = (x + 1) / 2,
  minmax = if (diff(range(x)) == 0) rep(.5, length(x)) else as.vector(scale(x, min(x), diff(range(x)))))
# Bins of many traces: cut() into half-open intervals and tapply(); zoo carries the last value forward.
bins <- function(x) {
  breaks <- seq(0, ceiling(x$duration / x$step)) * x$step
  t(sapply(seq_len(x$traces) - 1, function(k) {
    own <- x$trace == k
    means <- tapply(x$value[own], cut(x$t[own], breaks, right = FALSE, labels = FALSE), mean)
    all <- rep(NA, length(breaks) - 1); all[as.integer(names(means))] <- means
    zoo::na.fill(zoo::na.locf(all, na.rm = FALSE), 0)
  }))
}
others <- function(x) t(sapply(seq_len(nrow(x)), function(k) apply(x[-k, , drop = FALSE], 2, median)))
# A mean of shares, a ratio: the standard error from lm of a constant, and from the delta method on the covariance of both
# sums; then the score interval as the roots of (p - q)^2 n = z^2 q (1 - q), by polyroot.
score <- function(p, n, z) sort(Re(polyroot(c(n * p^2, -(2 * n * p + z^2), n + z^2))))
shares <- function(x) { n <- length(x); m <- mean(x); se <- summary(lm(x ~ 1))$coefficients[1, 2]
  score(m, m * (1 - m) / se^2, qt(.975, n - 1)) }
ratio <- function(parts, wholes) {
  n <- length(parts); s <- cov(cbind(parts, wholes)) * n; a <- sum(parts); b <- sum(wholes); g <- c(1 / b, -a / b^2)
  p <- a / b; c(p, score(p, p * (1 - p) / as.numeric(t(g) %*% s %*% g), qt(.975, n - 1)))
}
precision <- function(x) {
  called <- sapply(x$ratings, function(r) rowSums(matrix(r %in% x$answers, nrow(r))))
  ratio(rowSums(called[, x$correct, drop = FALSE]), rowSums(called))
}
# Every subset of n judges: the bootstrap's median has a distribution in closed form (order statistics of draws with
# replacement, odd n), its quantiles are exact; then the share of subsets whose interval holds one half.
quantiles <- function(v) { n <- length(v); v <- sort(v); m <- (n + 1) / 2
  below <- pbinom(m - 1, n, seq_len(n) / n, lower.tail = FALSE)
  c(v[which(below >= .025)[1]], v[which(below >= .975)[1]]) }
subsets <- function(x) { q <- combn(x$accuracy, x$n, quantiles)
  c(mean(q[1, ] <= .5 & q[2, ] >= .5), rowMeans(q)) }
result <- list(tool = paste(R.version.string, "zoo", packageVersion("zoo")),
  btrace = each(input$btrace, btrace), point = each(input$point, function(x) x$values[seq(1, length(x$values), by = x$every)]),
  bins = each(input$bins, bins), others = each(input$others, others), shares = each(input$shares, shares),
  ratios = each(input$ratios, function(x) ratio(x$parts, x$wholes)), precision = each(input$precision, precision),
  subsets = each(input$subsets, subsets))
writeLines(toJSON(result, digits = NA, auto_unbox = TRUE), args[2])
