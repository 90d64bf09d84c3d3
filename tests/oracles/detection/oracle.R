# Witness of believable.stats.detection. Usage: Rscript oracle.R input.json output.json
suppressMessages(library(jsonlite))
args <- commandArgs(TRUE)
input <- fromJSON(args[1], simplifyDataFrame = FALSE)
one <- function(s, add) {
  yes <- c(s$hits, s$false_alarms) + add; no <- c(s$misses, s$correct_rejections) + add
  signal <- c(.5, -.5)
  m <- suppressWarnings(glm(cbind(yes, no) ~ signal, family = binomial("probit"), control = list(epsilon = 1e-14)))
  k <- summary(m)$coefficients; z <- qnorm(.975)
  list(d = c(k[2, 1], k[2, 1] - z * k[2, 2], k[2, 1] + z * k[2, 2]),
    c = c(-k[1, 1], -k[1, 1] - z * k[1, 2], -k[1, 1] + z * k[1, 2]))
}
out <- lapply(input, function(s) { r <- list(loglinear = one(s, .5)); if (s$misses > 0) r$none <- one(s, 0); r })
write_json(list(tool = R.version.string, cases = out), args[2], digits = NA, auto_unbox = TRUE, pretty = TRUE)
