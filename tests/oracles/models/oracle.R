# Witness of believable.stats.models. Usage: Rscript oracle.R FOLDER output.json, FOLDER holding the three designs.
# The default glmer stops before the optimum (its standard errors differ in the second digit), so every logistic fit
# here is the converged Laplace optimum: glmmTMB, and lme4 with a tight optimiser where that is quick.
suppressMessages({library(jsonlite); library(lme4); library(lmerTest); library(glmmTMB); library(blme)})
args <- commandArgs(TRUE)
tight <- glmerControl(optimizer = "bobyqa", optCtrl = list(rhobeg = 2e-3, rhoend = 1e-11, maxfun = 1e6),
  tolPwrss = 1e-13, check.conv.grad = "ignore", check.conv.singular = "ignore")
read <- function(name) { d <- read.csv(gzfile(file.path(args[1], paste0(name, ".csv.gz"))))
  d$participant <- factor(d$participant); d$scenario <- factor(d$scenario); d }
collapse <- function(d) { d$n <- 1
  aggregate(cbind(flag, n) ~ participant + scenario + condition + order, d, sum) }
tmb <- function(m) { k <- summary(m)$coefficients$cond
  list(beta = unname(k[, 1]), se = unname(k[, 2]), sd = lapply(VarCorr(m)$cond, function(v) unname(attr(v, "stddev"))),
    loglik = as.numeric(logLik(m))) }
mer <- function(m) { k <- coef(summary(m))
  list(beta = unname(k[, 1]), se = unname(k[, 2]), sd = lapply(VarCorr(m), function(v) unname(attr(v, "stddev"))),
    loglik = as.numeric(logLik(m))) }
choose_constant <- function(counts) sum(lchoose(counts$n, counts$flag))

cbpp_tight <- glmer(cbind(incidence, size - incidence) ~ period + (1 | herd), cbpp, binomial, control = tight)
cbpp_fits <- list(lme4_tight = mer(cbpp_tight),
  glmmTMB = tmb(glmmTMB(cbind(incidence, size - incidence) ~ period + (1 | herd), cbpp, family = binomial)),
  profile = unname(suppressMessages(confint(cbpp_tight, parm = "beta_", method = "profile"))))

crossed <- lapply(c(small = "small", medium = "medium", large = "large"), function(name) {
  counts <- collapse(read(name))
  f <- cbind(flag, n - flag) ~ condition + order + (1 | participant) + (1 | scenario)
  out <- list(glmmTMB = tmb(glmmTMB(f, counts, family = binomial)))
  out$glmmTMB$loglik <- out$glmmTMB$loglik - choose_constant(counts)
  if (name != "large") { out$lme4_tight <- mer(glmer(f, counts, binomial, control = tight))
    out$lme4_tight$loglik <- out$lme4_tight$loglik - choose_constant(counts) }
  out })
slopes <- local({ counts <- collapse(read("medium"))
  m <- tmb(glmmTMB(cbind(flag, n - flag) ~ condition + (1 + condition | participant) + (1 | scenario), counts, family = binomial))
  m$loglik <- m$loglik - choose_constant(counts); m })
penalised <- local({ d <- read("small"); d$flag[d$condition == 1] <- 0; counts <- collapse(d)
  m <- suppressWarnings(suppressMessages(bglmer(cbind(flag, n - flag) ~ condition + order + (1 | participant), counts,
    family = binomial, fixef.prior = normal(sd = c(10, 2.5)), cov.prior = NULL, control = tight)))
  list(beta = unname(fixef(m)), sd = unname(attr(VarCorr(m)$participant, "stddev"))) })

strict <- lmerControl(optimizer = "bobyqa", optCtrl = list(rhobeg = 2e-3, rhoend = 1e-11, maxfun = 1e6),
  check.conv.grad = "ignore", check.conv.singular = "ignore")
linear_record <- function(m) { k <- coef(summary(m)); v <- VarCorr(m)
  list(beta = unname(k[, "Estimate"]), se = unname(k[, "Std. Error"]), df = unname(k[, "df"]), p = unname(k[, "Pr(>|t|)"]),
    sd = lapply(v, function(x) unname(attr(x, "stddev"))), cor = lapply(v, function(x) if (NROW(x) > 1) attr(x, "correlation")[2, 1]),
    sigma = sigma(m), loglik = as.numeric(logLik(m))) }
linear <- list(
  sleepstudy = linear_record(lmer(Reaction ~ Days + (Days | Subject), sleepstudy, control = strict)),
  sleepstudy_ml = linear_record(lmer(Reaction ~ Days + (Days | Subject), sleepstudy, REML = FALSE, control = strict)),
  sleepstudy_uncorrelated = linear_record(lmer(Reaction ~ Days + (1 | Subject) + (0 + Days | Subject), sleepstudy, control = strict)),
  small = linear_record(lmer(rating ~ condition + order + (1 + condition | participant) + (1 | scenario), read("small"), control = strict)),
  medium = linear_record(lmer(rating ~ condition * order + (1 | participant) + (1 | scenario), read("medium"), control = strict)),
  large = linear_record(lmer(rating ~ condition + (1 | participant) + (1 | scenario), read("large"), control = strict)))
packages <- c("lme4", "lmerTest", "glmmTMB", "blme")
write_json(list(tool = R.version.string, packages = as.list(sapply(packages, function(p) as.character(packageVersion(p)))),
  cbpp = cbpp_fits, crossed = crossed, slopes = slopes, penalised = penalised, linear = linear),
  args[2], digits = NA, auto_unbox = TRUE, pretty = TRUE)
