# Witness of believable.stats.means and believable.stats.correlations. Usage: Rscript oracle.R input.json output.json
suppressMessages(library(jsonlite))
args <- commandArgs(TRUE)
input <- fromJSON(args[1])

a <- input$means$a; b <- input$means$b
one <- t.test(a); sides <- c("two.sided", "less", "greater")
two <- t.test(a, b)
means <- list(mean = unname(one$estimate), ci = one$conf.int, t = unname(two$statistic), df = unname(two$parameter),
  difference_ci = two$conf.int, p = sapply(sides, function(s) t.test(a, b, alternative = s)$p.value, USE.NAMES = FALSE))

x <- input$choice$measure; y <- input$choice$choice; n <- length(x)
found <- cor.test(x, y)
left <- sapply(seq_len(n), function(i) atanh(cor(x[-i], y[-i])))
se <- sqrt((n - 1) / n * sum((left - mean(left))^2))
z <- atanh(cor(x, y)); half <- qt(.975, n - 2) * se
choice <- list(r = unname(found$estimate), t = unname(found$statistic), p = found$p.value, ci = tanh(c(z - half, z + half)))

d <- data.frame(person = factor(input$within$people), a = input$within$a, b = input$within$b)
fit <- lm(b ~ person + a, d); row <- summary(fit)$coefficients["a", ]; df <- fit$df.residual
r <- sign(row[["Estimate"]]) * sqrt(row[["t value"]]^2 / (row[["t value"]]^2 + df))
within <- list(r = r, t = row[["t value"]], df = df, p = row[["Pr(>|t|)"]],
  ci = tanh(atanh(r) + c(-1, 1) * qnorm(.975) / sqrt(df - 1)))

write(toJSON(list(tool = R.version.string, means = means, choice = choice, within = within), auto_unbox = TRUE, digits = NA,
  pretty = TRUE), args[2])
