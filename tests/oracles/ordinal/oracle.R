# Rscript oracle.R FOLDER OUTPUT: cumulative link (mixed) models by R's ordinal.
suppressMessages({library(ordinal); library(jsonlite)})
arguments <- commandArgs(trailingOnly = TRUE)
folder <- arguments[1]

# With its default tolerance, clmm searches the mode of the random effects so loosely that estimates move in the sixth
# digit. With a tight one they do not, but then its numerical curvature, and so its standard errors, break down.
tight <- clmm.control(method = "nlminb", maxIter = 200, gradTol = 1e-8, rel.tol = 1e-15, x.tol = 1e-12)

described <- function(formula, data) {
  loose <- clmm(formula, data = data, control = clmm.control(method = "nlminb"))
  model <- suppressWarnings(clmm(formula, data = data, control = tight))
  errors <- unname(sqrt(diag(vcov(loose))))
  thresholds <- seq_along(model$alpha)
  correlation <- lapply(VarCorr(model), function(v) {
    r <- attr(v, "correlation")
    if (length(r) > 1) r[2, 1] else NULL
  })
  list(
    thresholds = unname(model$alpha), threshold_se = errors[thresholds],
    beta = unname(model$beta), se = errors[length(thresholds) + seq_along(model$beta)],
    sd = lapply(VarCorr(model), function(v) unname(attr(v, "stddev"))),
    correlation = Filter(Negate(is.null), correlation),
    loglik = as.numeric(logLik(model)))
}

read <- function(name) {
  data <- read.csv(gzfile(file.path(folder, paste0(name, ".csv.gz"))))
  data$rating <- factor(data$rating, ordered = TRUE)
  data
}

data(wine)
write.csv(
  data.frame(rating = as.integer(wine$rating), temp = wine$temp, contact = wine$contact, judge = wine$judge),
  file.path(folder, "wine.csv"), row.names = FALSE, quote = FALSE)

mixed <- list(
  wine = described(rating ~ temp + contact + (1 | judge), wine),
  wine_interaction = described(rating ~ temp * contact + (1 | judge), wine),
  small = described(rating ~ condition + (1 | participant) + (1 | clip), read("small")),
  medium = described(rating ~ condition + order + (1 + condition | participant) + (1 | clip), read("medium")),
  large = described(rating ~ condition + order + (1 | participant) + (1 | clip), read("large")))

plain <- function(formula, data) {
  model <- clm(formula, data = data)
  table <- coef(summary(model))
  thresholds <- seq_along(model$alpha)
  list(
    thresholds = unname(table[thresholds, 1]), threshold_se = unname(table[thresholds, 2]),
    beta = unname(table[-thresholds, 1]), se = unname(table[-thresholds, 2]),
    loglik = as.numeric(logLik(model)))
}
nominal <- function(formula, data) {
  rows <- nominal_test(do.call(clm, list(formula, data = data)))
  rows <- rows[!is.na(rows$LRT), ]
  list(terms = rownames(rows), lrt = rows$LRT, df = rows$Df, p = rows[["Pr(>Chi)"]])
}
same <- clmm2(rating ~ temp + contact, random = judge, data = wine, Hess = TRUE, control = clmm2.control(gradTol = 1e-9))
apart <- clmm2(rating ~ contact, nominal = ~temp, random = judge, data = wine, Hess = TRUE, control = clmm2.control(gradTol = 1e-9))

result <- list(
  tool = R.version.string,
  packages = list(ordinal = as.character(packageVersion("ordinal"))),
  mixed = mixed,
  plain = list(
    wine = plain(rating ~ temp + contact, wine),
    small = plain(rating ~ condition + order, read("small"))),
  nominal = list(
    wine = nominal(rating ~ temp + contact, wine),
    small = nominal(rating ~ condition + order, read("small")),
    medium = nominal(rating ~ condition + order, read("medium"))),
  nominal_mixed = list(
    wine_temp = list(same = as.numeric(logLik(same)), apart = as.numeric(logLik(apart)))))
write(toJSON(result, digits = 12, auto_unbox = TRUE, pretty = TRUE), arguments[2])
