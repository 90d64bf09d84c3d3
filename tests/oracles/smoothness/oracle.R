# Witness of believable.stats.smoothness. Usage: Rscript oracle.R input.json output.json
suppressMessages(library(jsonlite))
args <- commandArgs(TRUE)
input <- fromJSON(args[1], simplifyVector = TRUE, simplifyDataFrame = FALSE)
arc <- function(s) {
  n <- length(s$speed); size <- 2^(ceiling(log2(n)) + 4)
  m <- Mod(fft(c(s$speed, rep(0, size - n)))); m <- m / max(m)
  f <- (seq_len(size) - 1) * s$hz / size
  keep <- f <= 10; f <- f[keep]; m <- m[keep]
  big <- which(m >= .05); f <- f[min(big):max(big)]; m <- m[min(big):max(big)]
  -sum(sqrt((diff(f) / (max(f) - min(f)))^2 + diff(m)^2))
}
jerk <- function(s) { d <- diff(as.matrix(s$places), differences = 3) * s$hz^3; sqrt(mean(rowSums(d^2))) }
write_json(list(tool = R.version.string, arc_lengths = lapply(input$arc_lengths, arc), jerks = lapply(input$jerks, jerk)),
  args[2], digits = NA, auto_unbox = TRUE, pretty = TRUE)
