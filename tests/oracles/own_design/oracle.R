# Witness of the analysis of a design of one's own, and of believable.stats.counts.fisher.
# Usage: Rscript oracle.R input.json output.json
suppressMessages({ library(jsonlite); library(lme4); library(lmerTest) })
args <- commandArgs(TRUE)
input <- fromJSON(args[1], simplifyMatrix = FALSE)
groups <- c("person", "imitation", "script")
pairs <- combn(groups, 2, simplify = FALSE)

part <- function(d, pair) {
  d <- as.data.frame(lapply(d[c("person", "group", "stimulus", "y")], unlist))
  d <- d[d$group %in% pair, ]
  d$group <- factor(d$group, levels = rev(pair))  # the coefficient is the first of the pair minus the second
  d
}
mean_data <- input$humanness; mean_data$y <- mean_data$number
means <- lapply(pairs, function(pair) {
  model <- suppressMessages(lmerTest::lmer(y ~ group + (1 + group | person) + (1 | stimulus), part(mean_data, pair)))
  row <- summary(model)$coefficients[2, ]
  own <- part(mean_data, pair); each <- tapply(own$y, list(own$person, own$group), mean)
  apart <- each[, pair[1]] - each[, pair[2]]
  list(pair = pair, estimate = row[[1]], se = row[[2]], df = row[[3]], t = row[[4]], p = row[[5]],
    dz = mean(apart) / sd(apart), ranks = suppressWarnings(wilcox.test(apart, exact = FALSE)$p.value),
    means = colMeans(each)[pair])
})
share_data <- input$judgement; share_data$y <- as.numeric(unlist(share_data$text) == "person")
shares <- lapply(pairs, function(pair) {
  model <- suppressMessages(glmer(y ~ group + (1 + group | person) + (1 | stimulus), part(share_data, pair), family = binomial,
    control = glmerControl(optimizer = "bobyqa", optCtrl = list(maxfun = 1e6), calc.derivs = TRUE)))
  row <- summary(model)$coefficients[2, ]
  list(pair = pair, log_odds = row[[1]], se = row[[2]], z = row[[3]], p = row[[4]])
})
chosen <- as.data.frame(lapply(input$chosen, unlist))
agents <- combn(c("person", "agent_a", "agent_b"), 2, simplify = FALSE)
choices <- lapply(agents, function(pair) {
  own <- chosen[(chosen$first == pair[1] & chosen$second == pair[2]) | (chosen$first == pair[2] & chosen$second == pair[1]), ]
  won <- sum((own$first == pair[1]) == (own$side == "first"))
  x <- binom.test(won, nrow(own))
  list(pair = pair, won = won, n = nrow(own), p = x$p.value, greater = binom.test(won, nrow(own), alternative = "greater")$p.value,
    ci = x$conf.int)
})
fisher <- lapply(input$fisher, function(t) { t <- matrix(unlist(t), nrow = 2, byrow = TRUE)
  list(p = sapply(c("two.sided", "less", "greater"), function(s) fisher.test(t, alternative = s)$p.value, USE.NAMES = FALSE),
    odds = unname(fisher.test(t)$estimate), ci = fisher.test(t)$conf.int) })
packages <- c("lme4", "lmerTest")
write_json(list(tool = R.version.string, packages = as.list(sapply(packages, function(p) as.character(packageVersion(p)))),
  means = means, shares = shares, choices = choices, fisher = fisher), args[2], digits = NA, auto_unbox = TRUE, pretty = TRUE)
