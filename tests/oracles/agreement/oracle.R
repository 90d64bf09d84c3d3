# Witness of believable.stats.agreement. Usage: Rscript oracle.R input.json output.json
suppressMessages({library(jsonlite); library(vcd); library(psych); library(psy)})
args <- commandArgs(TRUE)
input <- fromJSON(args[1], simplifyVector = TRUE, simplifyMatrix = FALSE, simplifyDataFrame = FALSE)
table_of <- function(rows) do.call(rbind, lapply(rows, function(r) as.numeric(sapply(r, function(v) if (is.null(v)) NA else v))))

cohen <- function(x) {
  levels <- sort(unique(as.vector(x)))
  counts <- table(factor(x[, 1], levels), factor(x[, 2], levels))
  one <- function(weights) {
    k <- Kappa(counts, weights = weights)
    part <- if (weights == "Equal-Spacing" || weights == "Fleiss-Cohen") k$Weighted else k$Unweighted
    list(value = unname(part["value"]), se = unname(part["ASE"]))
  }
  plain <- Kappa(counts)$Unweighted
  list(unweighted = list(value = unname(plain["value"]), se = unname(plain["ASE"])),
       linear = one("Equal-Spacing"), quadratic = one("Fleiss-Cohen"))
}
icc <- function(x) {
  found <- suppressMessages(suppressWarnings(ICC(x, lmer = FALSE)))$results
  out <- lapply(1:6, function(i) list(value = found$ICC[i], F = found$F[i], df1 = found$df1[i], df2 = found$df2[i],
    low = found[["lower bound"]][i], high = found[["upper bound"]][i]))
  names(out) <- c("ICC1", "ICC2", "ICC3", "ICC1k", "ICC2k", "ICC3k")
  out
}
alpha_of <- function(x) {
  a <- unname(psy::cronbach(x)$alpha); n <- nrow(x); k <- ncol(x)
  list(value = a, low = 1 - (1 - a) * qf(.975, n - 1, (n - 1) * (k - 1)),
       high = 1 - (1 - a) * qf(.025, n - 1, (n - 1) * (k - 1)),
       psych = suppressMessages(suppressWarnings(psych::alpha(as.data.frame(x), warnings = FALSE)))$total$raw_alpha)
}
# Friedman's test has the same statistic as Kendall's W: chi-square = k(n - 1)W, ties corrected.
w_of <- function(x) {
  f <- friedman.test(t(x)); list(W = unname(f$statistic) / (ncol(x) * (nrow(x) - 1)), chi_square = unname(f$statistic), p = f$p.value)
}
# From the definition (coincidence matrix), so independent of the closed forms under test.
kripp <- function(x, level) {
  values <- sort(unique(na.omit(as.vector(x)))); v <- length(values); o <- matrix(0, v, v)
  for (i in seq_len(nrow(x))) {
    u <- match(na.omit(x[i, ]), values); m <- length(u)
    if (m > 1) for (a in seq_len(m)) for (b in seq_len(m)) if (a != b) o[u[a], u[b]] <- o[u[a], u[b]] + 1 / (m - 1)
  }
  n <- rowSums(o)
  d <- outer(seq_len(v), seq_len(v), Vectorize(function(i, j) switch(level,
    nominal = as.numeric(i != j),
    ordinal = if (i == j) 0 else (sum(n[min(i, j):max(i, j)]) - (n[i] + n[j]) / 2)^2,
    interval = (values[i] - values[j])^2,
    ratio = ((values[i] - values[j]) / (values[i] + values[j]))^2)))
  1 - (sum(n) - 1) * sum(o * d) / sum(outer(n, n) * d)
}
fleiss <- function(x) {
  q <- sort(unique(as.vector(x))); counts <- t(apply(x, 1, function(r) table(factor(r, q)))); m <- ncol(x)
  po <- mean(rowSums(counts * (counts - 1)) / (m * (m - 1))); p <- colMeans(counts) / m; (po - sum(p^2)) / (1 - sum(p^2))
}
levels_of_measurement <- c("nominal", "ordinal", "interval", "ratio")
output <- list(
  tool = R.version.string,
  packages = list(vcd = as.character(packageVersion("vcd")), psych = as.character(packageVersion("psych")), psy = as.character(packageVersion("psy"))),
  cohen = lapply(input$pairs, function(r) cohen(table_of(r))),
  fleiss = lapply(input$labels, function(r) fleiss(table_of(r))),
  krippendorff = lapply(input$gaps, function(r) { x <- table_of(r); setNames(lapply(levels_of_measurement, function(l) kripp(x, l)), levels_of_measurement) }),
  icc = lapply(input$numbers, function(r) icc(table_of(r))),
  cronbach = lapply(input$numbers, function(r) alpha_of(table_of(r))),
  kendall = lapply(input$ranks, function(r) w_of(table_of(r)))
)
writeLines(toJSON(output, auto_unbox = TRUE, digits = 15, pretty = TRUE), args[2])
