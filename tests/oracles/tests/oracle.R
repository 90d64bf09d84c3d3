# Witness of believable.stats.tests. Usage: Rscript oracle.R input.json output.json
suppressMessages({library(jsonlite); library(exactRankTests); library(coin); library(effectsize); library(epitools)})
args <- commandArgs(TRUE)
input <- fromJSON(args[1], simplifyVector = TRUE, simplifyMatrix = TRUE, simplifyDataFrame = FALSE)
sides <- c("two.sided", "less", "greater")

ncp_bounds <- function(t, df) sapply(c(.975, .025), function(p)
  uniroot(function(ncp) suppressWarnings(pt(t, df, ncp)) - p, c(-30, 30), tol = 1e-12)$root)

dav <- function(a, b) {
  n <- length(a); unit <- sqrt((var(a) + var(b)) / 2); value <- mean(a - b) / unit
  scale <- sd(a - b) / (unit * sqrt(n)); df <- 2 * (n - 1) / (1 + cor(a, b)^2)
  c(value, ncp_bounds(value / scale, df) * scale)
}
paired_rank_biserial <- function(a, b) {
  d <- (a - b)[a != b]; n <- length(d)
  rb <- function(d) { r <- rank(abs(d)); (sum(r[d > 0]) - sum(r[d < 0])) / sum(r) }
  value <- rb(d); left <- sapply(seq_len(n), function(i) rb(d[-i]))
  se <- sqrt((n - 1) / n * sum((left - mean(left))^2))
  half <- qt(.975, n - 1) * se / (1 - value^2)
  c(value, tanh(atanh(value) - half), tanh(atanh(value) + half))
}
cliff <- function(a, b) {
  s <- sign(outer(a, b, "-")); d <- mean(s)
  va <- var(rowMeans(s)) / length(a); vb <- var(colMeans(s)) / length(b); v <- va + vb
  df <- v^2 / (va^2 / (length(a) - 1) + vb^2 / (length(b) - 1))
  half <- qt(.975, df) * sqrt(v) / (1 - d^2)
  c(d, tanh(atanh(d) - half), tanh(atanh(d) + half))
}

paired <- lapply(input$paired, function(s) {
  a <- as.numeric(s$a); b <- as.numeric(s$b); d <- a - b
  t <- t.test(a, b, paired = TRUE); sh <- shapiro.test(d)
  ties <- anyDuplicated(abs(d[d != 0])) > 0 || any(d == 0)
  w <- suppressWarnings(wilcox.test(a, b, paired = TRUE, exact = FALSE, correct = TRUE))
  we <- wilcox.exact(a, b, paired = TRUE, exact = TRUE)
  pratt <- wilcoxsign_test(a ~ b, distribution = exact(), zero.method = "Pratt")
  es <- cohens_d(a, b, paired = TRUE)
  out <- list(t = unname(t$statistic), t_df = unname(t$parameter), t_p = t$p.value, t_ci = t$conf.int,
    t_sides = sapply(sides, function(x) t.test(a, b, paired = TRUE, alternative = x)$p.value),
    shapiro = c(sh$statistic, sh$p.value), w = unname(w$statistic), w_p_normal = w$p.value,
    w_sides_normal = sapply(sides, function(x) suppressWarnings(
      wilcox.test(a, b, paired = TRUE, exact = FALSE, correct = TRUE, alternative = x)$p.value)),
    w_p_exact = we$p.value, pratt_p_exact = pvalue(pratt)[1], dz = c(es$Cohens_d, es$CI_low, es$CI_high),
    dav = dav(a, b), rank_biserial = paired_rank_biserial(a, b),
    rank_biserial_effectsize = suppressWarnings(rank_biserial(a, b, paired = TRUE)$r_rank_biserial))
  if (!ties) { x <- wilcox.test(a, b, paired = TRUE, exact = TRUE, conf.int = TRUE)
    out$w_p_base <- x$p.value; out$hl <- c(x$estimate, x$conf.int) }
  out
})
groups <- lapply(input$groups, function(s) {
  a <- as.numeric(s$a); b <- as.numeric(s$b)
  w <- suppressWarnings(wilcox.test(a, b, exact = FALSE, correct = TRUE)); we <- wilcox.exact(a, b, exact = TRUE)
  h <- hedges_g(a, b); J <- h$Hedges_g / cohens_d(a, b)$Cohens_d
  out <- list(u = unname(w$statistic), p_normal = w$p.value, p_exact = we$p.value,
    sides_exact = sapply(sides, function(x) wilcox.exact(a, b, exact = TRUE, alternative = x)$p.value),
    p_exact_coin = pvalue(wilcox_test(c(a, b) ~ factor(rep(1:2, c(length(a), length(b)))), distribution = "exact"))[1],
    sides_normal = sapply(sides, function(x) suppressWarnings(
      wilcox.test(a, b, exact = FALSE, correct = TRUE, alternative = x)$p.value)),
    g = h$Hedges_g, g_bounds = c(h$CI_low, h$CI_high) / J, cliff = cliff(a, b),
    cliff_effectsize = suppressWarnings(rank_biserial(a, b)$r_rank_biserial))
  if (!anyDuplicated(c(a, b))) { x <- wilcox.test(a, b, exact = TRUE, conf.int = TRUE)
    out$p_base <- x$p.value; out$hl <- c(x$estimate, x$conf.int) }
  out
})
binomial <- lapply(input$binomial, function(s) { x <- binom.test(s$k, s$n, s$p)
  list(p = x$p.value, ci = x$conf.int, wilson = prop.test(s$k, s$n, correct = FALSE)$conf.int,
    sides = sapply(sides, function(z) binom.test(s$k, s$n, s$p, alternative = z)$p.value)) })
as_matrix <- function(t) matrix(unlist(t), nrow = 2, byrow = is.list(t))
mcnemar <- lapply(seq_len(dim(input$mcnemar)[1]), function(i) { t <- input$mcnemar[i, , ]
  b <- t[1, 2]; c <- t[2, 1]; x <- binom.test(b, b + c); p <- x$conf.int
  list(exact = x$p.value, chi2 = mcnemar.test(t, correct = FALSE)$p.value,
    chi2_corrected = mcnemar.test(t)$p.value, odds = c(b / c, p / (1 - p)),
    midp = 2 * pbinom(min(b, c), b + c, .5) - dbinom(b, b + c, .5)) })
chi_square <- lapply(input$chi_square, function(t) { t <- matrix(unlist(t), nrow = NROW(t))
  x <- suppressWarnings(chisq.test(t, correct = FALSE)); v <- cramers_v(t, adjust = FALSE, alternative = "two.sided")
  list(statistic = unname(x$statistic), df = unname(x$parameter), p = x$p.value, v = c(v[[1]], v$CI_low, v$CI_high)) })
fit <- lapply(input$fit, function(s) { x <- chisq.test(s$counts, p = s$shares)
  list(statistic = unname(x$statistic), p = x$p.value) })
# The same conditional inversions as fisher.test, solved to more digits than its own uniroot(tol = 1e-4).
tight_odds <- function(t) { m <- sum(t[, 1]); n <- sum(t[, 2]); k <- sum(t[1, ]); x <- t[1, 1]
  s <- max(0, k - n):min(k, m); d <- dhyper(s, m, n, k, log = TRUE)
  f <- function(l) { w <- d + s * l; w <- exp(w - max(w)); w / sum(w) }
  root <- function(g) exp(uniroot(g, c(-15, 15), tol = 1e-13)$root)
  tails <- function(half) c(root(function(l) sum(f(l)[s > x]) + half * f(l)[s == x] - .025),
    root(function(l) sum(f(l)[s < x]) + half * f(l)[s == x] - .025))
  list(value = root(function(l) sum(s * f(l)) - x), exact = tails(1), midp = tails(.5)) }
odds <- lapply(seq_len(dim(input$odds)[1]), function(i) { t <- input$odds[i, , ]; x <- fisher.test(t)
  list(fisher_value = unname(x$estimate), fisher_exact = x$conf.int,
    epitools_midp = unname(suppressWarnings(oddsratio.midp(t)$measure[2, 2:3])), tight = tight_odds(t)) })
correlation <- lapply(input$correlation, function(s) { a <- as.numeric(s$a); b <- as.numeric(s$b)
  p <- cor.test(a, b); r <- suppressWarnings(cor.test(a, b, method = "spearman", exact = FALSE))
  out <- list(r = unname(p$estimate), t = unname(p$statistic), p = p$p.value, ci = p$conf.int,
    rho = unname(r$estimate), rho_p_t = r$p.value)
  if (!anyDuplicated(a) && !anyDuplicated(b) && length(a) <= 9)
    out$rho_p_exact <- cor.test(a, b, method = "spearman", exact = TRUE)$p.value
  out })
ols <- lapply(input$ols, function(s) { d <- data.frame(y = s$y, x = as.numeric(s$x), z = as.numeric(s$z))
  m <- lm(y ~ x + z, d); k <- summary(m); X <- model.matrix(m); h <- hatvalues(m); e <- residuals(m)
  B <- solve(crossprod(X)); V <- B %*% t(X) %*% diag((e / (1 - h))^2) %*% X %*% B
  list(coefficients = unname(k$coefficients), ci = unname(confint(m)), r2 = k$r.squared, adjusted = k$adj.r.squared,
    f = unname(k$fstatistic), f_p = unname(pf(k$fstatistic[1], k$fstatistic[2], k$fstatistic[3], lower.tail = FALSE)),
    hc3 = unname(sqrt(diag(V)))) })
tost_mean <- lapply(input$tost_mean, function(s) { t <- t.test(s$a, conf.level = .9)
  list(p_low = t.test(s$a, mu = s$low, alternative = "greater")$p.value,
    p_high = t.test(s$a, mu = s$high, alternative = "less")$p.value, ci = t$conf.int) })
tost_welch <- lapply(input$tost_welch, function(s) { t <- t.test(s$a, s$b, conf.level = .9)
  list(p_low = t.test(s$a, s$b, mu = s$low, alternative = "greater")$p.value,
    p_high = t.test(s$a, s$b, mu = s$high, alternative = "less")$p.value, ci = t$conf.int) })
tost_proportion <- lapply(input$tost_proportion, function(s) list(
  p_low = binom.test(s$k, s$n, s$low, alternative = "greater")$p.value,
  p_high = binom.test(s$k, s$n, s$high, alternative = "less")$p.value,
  ci = binom.test(s$k, s$n, conf.level = .9)$conf.int))
p_values <- lapply(input$p_values, function(p) list(holm = p.adjust(p, "holm"), bh = p.adjust(p, "BH")))

packages <- c("exactRankTests", "coin", "effectsize", "epitools")
write_json(list(tool = R.version.string, packages = as.list(sapply(packages, function(p) as.character(packageVersion(p)))),
  paired = paired, groups = groups, binomial = binomial, mcnemar = mcnemar, chi_square = chi_square, fit = fit, odds = odds,
  correlation = correlation, ols = ols, tost_mean = tost_mean, tost_welch = tost_welch,
  tost_proportion = tost_proportion, p_values = p_values), args[2], digits = NA, auto_unbox = TRUE, pretty = TRUE)
