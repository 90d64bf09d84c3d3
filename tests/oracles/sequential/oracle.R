# Witness of believable.stats.sequential and e_values. Usage: Rscript oracle.R input.json output.json
# E-values by their definitions: products of bets, and the t form as an integral over effects.
suppressMessages(library(jsonlite))
args <- commandArgs(TRUE)
input <- fromJSON(args[1], simplifyDataFrame = FALSE)

bets <- c(.5, 1, 2, 4, 8, 16, 32); bets <- c(bets, -bets)
shares_of_capital <- seq(.05, .95, by = .1)
symmetric <- function(x) mean(sapply(bets, function(l) prod(exp(l * (x - .5)) / cosh(l * (x - .5)))))
K <- function(x, m, s) { b <- if (s > 0) 1 / m else 1 / (1 - m)
  mean(sapply(shares_of_capital, function(g) prod(1 + s * g * b * (x - m)))) }
against <- function(x, high, low) (K(x, high, 1) + K(x, low, -1)) / 2
# Likelihoods under the effect delta ~ N(0, .5) and under none, both integrated over sigma with density 1/sigma (trapezoids).
t_form <- function(x, m) { n <- length(x); ss <- sum((x - mean(x))^2); top <- log(sqrt((ss + n * (mean(x) - m)^2) / n))
  u <- seq(top - 4, top + 4, length.out = 801); delta <- seq(-6, 6, length.out = 1201)
  common <- function(u) -n * u - ss / (2 * exp(2 * u))
  none <- common(u) - n * (mean(x) - m)^2 / (2 * exp(2 * u)); top <- max(none)
  some <- sapply(u, function(s) sum(exp(common(s) - top - n * ((mean(x) - m) / exp(s) - delta)^2 / 2) * dnorm(delta, 0, sqrt(.5)))) * (delta[2] - delta[1])
  sum(some) / sum(exp(none - top)) }
ends <- function(f, x, alpha, pad) { c0 <- mean(x); g <- function(m) log(f(x, m)) + log(alpha)
  low <- if (g(1e-9) < 0) 0 else uniroot(g, c(1e-9, c0), tol = 1e-12)$root
  high <- if (g(1 - 1e-9) < 0) 1 else uniroot(g, c(c0, 1 - 1e-9), tol = 1e-12)$root
  c(max(0, low - pad), min(1, high + pad)) }

cases <- lapply(input$cases, function(s) { x <- s$shares; h <- s$widening; d <- s$margin - h
  alpha <- if (h > 0) s$alpha - .01 else s$alpha
  if (s$form == "t") { inside <- abs(mean(x) - .5) < s$margin
    low <- min(t_form(x, .5 + s$margin), t_form(x, .5 - s$margin))
    return(list(different = log(t_form(x, .5)), equivalent = if (inside) log(low) else min(log(low), 0),
      interval = ends(t_form, x, alpha, 0))) }
  list(different = log(if (s$form == "symmetric") symmetric(x) else against(x, .5 + h, .5 - h)),
    equivalent = log(min(K(x, .5 + d, -1), K(x, .5 - d, 1))),
    interval = ends(function(x, m) against(x, m, m), x, alpha, h)) })
chosen <- lapply(input$discoveries, function(s) { e <- exp(s$log_evidence); K <- length(e); k_best <- 0
  for (k in seq_len(K)) if (sort(e, decreasing = TRUE)[k] >= K / (s$alpha * k)) k_best <- k
  as.list(rank(-e, ties.method = "first") <= k_best) })
write_json(list(tool = R.version.string, packages = list(), cases = cases, discoveries = chosen), args[2],
  digits = NA, auto_unbox = TRUE, pretty = TRUE)
