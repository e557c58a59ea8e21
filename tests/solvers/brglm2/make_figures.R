# Writes figures.json beside this file: data that R packages carry, and what brglm2 estimates from them.
#
#     Rscript tests/solvers/brglm2/make_figures.R > tests/solvers/brglm2/figures.json
#
# Needs r-base-core and r-cran-brglm2 (figures.json was made with R 4.2.2 and brglm2 0.9).
suppressMessages(library(brglm2))

number <- function(x) paste0("[", paste(sprintf("%.17g", x), collapse = ", "), "]")

two_classes <- function(name, formula, data, weights = rep(1, nrow(data))) {
  data$.w <- weights
  fit <- glm(formula, binomial, data, weights = .w, method = "brglmFit", type = "MPL_Jeffreys",
             epsilon = 1e-13, maxit = 10000, slowit = 1)
  plain <- suppressWarnings(glm(formula, binomial, data, weights = .w, epsilon = 1e-14, maxit = 100))
  # The standard errors of glm are those of the step before the last, so it starts once more at its own estimates.
  plain <- suppressWarnings(glm(formula, binomial, data, weights = .w, epsilon = 1e-14, start = coef(plain)))
  X <- model.matrix(fit)[, -1, drop = FALSE]
  rows <- paste(apply(X, 1, number), collapse = ",\n  ")
  cat(sprintf('"%s": {\n "X": [%s],\n', name, rows))
  cat(sprintf(' "y": %s,\n "weights": %s,\n', number(fit$y), number(weights)))
  cat(sprintf(' "coefficients": %s,\n "errors": %s,\n', number(coef(fit)), number(sqrt(diag(vcov(fit))))))
  cat(sprintf(' "plain": %s, "plain_errors": %s, "deviance": %.17g, "aic": %.17g}', number(coef(plain)),
              number(sqrt(diag(vcov(plain)))), plain$deviance, plain$aic))
}

several_classes <- function(name, formula, data, weights = rep(1, nrow(data))) {
  data$.w <- weights
  fit <- brmultinom(formula, data, weights = .w, type = "MPL_Jeffreys", epsilon = 1e-13, maxit = 10000)
  X <- model.matrix(formula, data)[, -1, drop = FALSE]
  rows <- paste(apply(X, 1, number), collapse = ",\n  ")
  y <- as.integer(model.response(model.frame(formula, data))) - 1
  cat(sprintf('"%s": {\n "X": [%s],\n', name, rows))
  cat(sprintf(' "y": %s,\n "weights": %s,\n', number(y), number(weights)))
  cat(sprintf(' "coefficients": [%s]}', paste(apply(coef(fit), 1, number), collapse = ", ")))
}

data("endometrial"); data("lizards"); data("alligators")
long <- rbind(transform(lizards, g = 1, w = grahami), transform(lizards, g = 0, w = opalinus))
long <- long[long$w > 0, ]
cat("{")
two_classes("endometrial", HG ~ NV + PI + EH, endometrial)
cat(",\n")
two_classes("lizards", g ~ height + diameter + light + time, long, long$w)
cat(",\n")
two_classes("mtcars", am ~ wt + qsec, mtcars)
cat(",\n")
two_classes("infert", case ~ age + parity + spontaneous + induced, infert)
cat(",\n")
two_classes("birthwt", low ~ age + lwt + factor(race) + smoke + ptl + ht + ui + ftv, MASS::birthwt)
cat(",\n")
few <- alligators[alligators$freq > 0, ]
several_classes("alligators", foodchoice ~ size + lake, few, few$freq)
cat(",\n")
several_classes("mtcars_gears", factor(gear) ~ mpg + qsec, mtcars)
cat("}\n")
