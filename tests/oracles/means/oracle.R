# Witness of believable.stats.means and believable.stats.correlations. Usage: Rscript oracle.R input.json output.json
suppressMessages(library(jsonlite))
args <- commandArgs(TRUE)
input <- fromJSON(args[1])

a <- input$means$a; b <- input$means$b
one <- t.test(a); sides <- c("two.sided", "less", "greater")
two <- t.test(a, b)
means <- list(mean = unname(one$estimate), ci = one$conf.int, t = unname(two$statistic), df = unname(two$parameter),
  difference_ci = two$conf.int, p = sapply(sides, function(s) t.test(a, b, alternative = s)$p.value, USE.NAMES = FALSE))

# Hall's cubic of the studentised mean, solved for both t quantiles where it rises; beside it the studentised bootstrap.
hall <- function(x) {
  n <- length(x); se <- sd(x) / sqrt(n); d <- x - mean(x); g <- mean(d^3) / mean(d^2)^1.5
  cubic <- function(t) t + g * t^2 / (3 * sqrt(n)) + g^2 * t^3 / (27 * n) + g / (6 * sqrt(n))
  flat <- -3 * sqrt(n) / g
  ends <- sort(c(flat, -sign(flat) * 50))
  solve <- function(q) if ((cubic(flat) - q) * sign(flat) < 0) flat else
    uniroot(function(t) cubic(t) - q, ends, tol = 1e-13, maxiter = 10000)$root
  mean(x) - se * sapply(qt(c(.975, .025), n - 1), solve)
}
studentised <- function(x) {
  set.seed(1)
  found <- boot::boot(x, function(v, i) c(mean(v[i]), var(v[i]) / length(i)), R = 20000)
  boot::boot.ci(found, type = "stud")$student[4:5]
}
skewed <- lapply(input$skewed, function(x) list(ci = hall(x), t = t.test(x)$conf.int, studentised = studentised(x)))

x <- input$choice$measure; y <- input$choice$choice; n <- length(x)
found <- cor.test(x, y)
left <- sapply(seq_len(n), function(i) atanh(cor(x[-i], y[-i])))
se <- sqrt((n - 1) / n * sum((left - mean(left))^2))
z <- atanh(cor(x, y)); half <- qt(.975, n - 2) * se
choice <- list(r = unname(found$estimate), t = z / se, p = 2 * pt(-abs(z / se), n - 2), ci = tanh(c(z - half, z + half)))

both <- lapply(split(seq_len(n), rep(1:2, c(9, n - 9))), function(i) {
  x <- x[i]; y <- y[i]; m <- length(x)
  left <- sapply(seq_len(m), function(i) atanh(cor(x[-i], y[-i])))
  list(z = atanh(cor(x, y)), v = (m - 1) / m * sum((left - mean(left))^2), df = m - 2)
})
q <- both[[1]]$z - both[[2]]$z; v <- sapply(both, `[[`, "v"); dfs <- sapply(both, `[[`, "df")
df <- sum(v)^2 / sum(v^2 / dfs)
compared <- list(q = q, t = q / sqrt(sum(v)), df = df, p = 2 * pt(-abs(q / sqrt(sum(v))), df), ci = q + c(-1, 1) * qt(.975, df) * sqrt(sum(v)))

d <- data.frame(person = factor(input$within$people), a = input$within$a, b = input$within$b)
fit <- lm(b ~ person + a, d); row <- summary(fit)$coefficients["a", ]; df <- fit$df.residual
r <- sign(row[["Estimate"]]) * sqrt(row[["t value"]]^2 / (row[["t value"]]^2 + df))
within <- list(r = r, t = row[["t value"]], df = df, p = row[["Pr(>|t|)"]],
  ci = tanh(atanh(r) + c(-1, 1) * qnorm(.975) / sqrt(df - 1)))

write(toJSON(list(tool = R.version.string, means = means, skewed = skewed, choice = choice, compared = compared, within = within), auto_unbox = TRUE, digits = NA,
  pretty = TRUE), args[2])
