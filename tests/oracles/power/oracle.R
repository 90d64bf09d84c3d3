# Witness of believable.stats.power. Usage: Rscript oracle.R input.json output.json
suppressMessages({library(jsonlite); library(pwr)})
args <- commandArgs(TRUE)
input <- fromJSON(args[1], simplifyDataFrame = FALSE)
binomial_at <- function(s, n) { p <- sapply(0:n, function(k) binom.test(k, n, s$null, alternative = s$side)$p.value)
  reject <- p <= .05; c(power = sum(dbinom((0:n)[reject], n, s$share)), size = sum(dbinom((0:n)[reject], n, s$null))) }
out <- list(tool = R.version.string, packages = list(pwr = as.character(packageVersion("pwr"))),
  paired_t = sapply(input$paired_t, function(s) pwr.t.test(d = s$d, power = s$power, type = "paired", alternative = s$side)$n),
  paired_t_base = sapply(input$paired_t, function(s) power.t.test(delta = s$d, power = s$power, type = "paired", strict = TRUE,
    alternative = if (s$side == "two.sided") "two.sided" else "one.sided", tol = 1e-10)$n),
  paired_t_n = sapply(input$paired_t_n, function(s) pwr.t.test(d = s$d, n = s$n, type = "paired", alternative = s$side)$power),
  correlation = sapply(input$correlation, function(s) pwr.r.test(r = s$r, power = s$power, alternative = s$side)$n),
  correlation_n = sapply(input$correlation_n, function(s) pwr.r.test(r = s$r, n = s$n, alternative = s$side)$power),
  binomial_n = lapply(input$binomial_n, function(s) as.list(binomial_at(s, s$n))),
  binomial = sapply(input$binomial, function(s) { below <- sapply(5:160, function(n) binomial_at(s, n)["power"] < s$power); max((5:160)[below]) + 1 }),
  mann_whitney = sapply(input$mann_whitney, function(s) (qnorm(.975) + qnorm(s$power))^2 / (12 * s$share * (1 - s$share) * (s$p - .5)^2)))
write_json(out, args[2], digits = NA, auto_unbox = TRUE, pretty = TRUE)
