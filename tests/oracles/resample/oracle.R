# Witness of believable.stats.bootstrap. Usage: Rscript oracle.R input.json output.json
suppressMessages({library(jsonlite); library(boot); library(exactRankTests); library(coin)})
args <- commandArgs(TRUE)
input <- fromJSON(args[1], simplifyDataFrame = FALSE)
set.seed(1)
R <- 25000

intervals <- function(x, statistic) {
  # Influence by the jackknife: boot's default estimates the acceleration from the resamples by regression.
  b <- boot(x, function(d, i) statistic(d[i]), R = R); left <- sapply(seq_along(x), function(i) statistic(x[-i]))
  ci <- boot.ci(b, type = c("perc", "bca"), L = mean(left) - left)
  list(value = b$t0, percentile = ci$percent[4:5], bca = ci$bca[4:5], width = unname(diff(ci$percent[4:5])))
}
values <- lapply(input$values, function(x) list(mean = intervals(x, mean), sd = intervals(x, sd), median = intervals(x, median)))
by_cluster <- local({
  groups <- split(input$clusters$value, input$clusters$cluster)
  b <- boot(groups, function(g, i) mean(unlist(g[i])), R = R); ci <- boot.ci(b, type = "perc")
  left <- sapply(seq_along(groups), function(i) mean(unlist(groups[-i])))
  d <- mean(left) - left; a <- sum(d^3) / (6 * sum(d^2)^1.5); z0 <- qnorm(mean(b$t < b$t0))
  z <- z0 + qnorm(c(.025, .975))
  list(percentile = ci$percent[4:5], bca = unname(quantile(b$t, pnorm(z0 + z / (1 - a * z)))))
})
# Resampling units with replacement: the variance of the mean of a ratio, estimated by boot for each kind.
two_way <- lapply(input$two_way, function(s) {
  one <- function(label) { g <- split(s$value, label); sums <- sapply(g, sum); sizes <- lengths(g); k <- length(g)
    b <- boot(seq_len(k), function(d, i) sum(sums[i]) / sum(sizes[i]), R = R); var(b$t[, 1]) * k / (k - 1) }
  rows <- sum((s$value - mean(s$value))^2) / length(s$value)^2
  list(mean = mean(s$value), judges = one(s$judge), clips = one(s$clip), rows = rows)
})
medians <- lapply(input$median, function(x) { x <- sort(as.numeric(x)); n <- length(x); k <- qbinom(.025, n, .5)
  inside <- Filter(function(m) binom.test(sum(x > m), sum(x != m))$p.value > .05, unique(x))
  list(median = median(x), ci = c(x[k], x[n + 1 - k]), sign_test = range(inside)) })
perm <- function(s, paired) { a <- as.numeric(s$a); b <- as.numeric(s$b)
  if (paired) { out <- list(p = perm.test(round(1e6 * (a - b)), paired = FALSE, exact = TRUE)$p.value)
    d <- data.frame(y = c(a, b), x = factor(rep(1:2, each = length(a))), id = factor(rep(seq_along(a), 2)))
    out$coin <- pvalue(oneway_test(y ~ x | id, d, distribution = "approximate"(nresample = 200000)))[1]; out }
  else { d <- data.frame(y = c(a, b), x = factor(rep(1:2, c(length(a), length(b)))))
    list(coin = pvalue(oneway_test(y ~ x, d, distribution = "exact"))[1],
      greater = pvalue(oneway_test(y ~ x, d, distribution = "exact", alternative = "greater"))[1],
      less = pvalue(oneway_test(y ~ x, d, distribution = "exact", alternative = "less"))[1]) } }
signs <- function(s) { d <- as.numeric(s$a) - as.numeric(s$b); n <- length(d)
  all <- as.matrix(expand.grid(rep(list(c(-1, 1)), n))) %*% abs(d); t <- sum(d)
  c(less = mean(all <= t + 1e-9), greater = mean(all >= t - 1e-9)) }
independent <- lapply(input$independent, perm, paired = FALSE)
paired <- lapply(input$paired, function(s) as.list(signs(s)))
association <- lapply(input$association, function(s) {
  a <- as.numeric(s$a); b <- as.numeric(s$b)
  list(spearman_p = cor.test(a, b, method = "spearman", exact = TRUE)$p.value) })
write_json(list(tool = R.version.string, packages = as.list(sapply(c("boot", "coin"), function(p) as.character(packageVersion(p)))),
  values = values, by_cluster = by_cluster, two_way = two_way, medians = medians, independent = independent, paired = paired,
  association = association), args[2], digits = NA, auto_unbox = TRUE, pretty = TRUE)
