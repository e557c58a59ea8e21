# Prints FLIC and FLAC of the endometrial data (Puhr et al., 2017), by brglm2's Firth estimates and R's glm:
#
#     Rscript tests/solvers/brglm2/make_flic_flac.R
#
# The lines are in tests/statistics/test_firth_predictions.py (R 4.2.2, brglm2 0.9).
suppressMessages(library(brglm2))
data("endometrial")
fit <- glm(HG ~ NV + PI + EH, binomial, endometrial, method = "brglmFit", type = "MPL_Jeffreys", epsilon = 1e-13,
           maxit = 10000, slowit = 1)
X <- model.matrix(fit); eta <- drop(X[, -1] %*% coef(fit)[-1]); y <- fit$y
flic <- glm(y ~ offset(eta), family = binomial, epsilon = 1e-14)
cat(sprintf("%.15g ", coef(flic)), "\n")
p <- fitted(fit); A <- solve(crossprod(X * sqrt(p * (1 - p))))
h <- rowSums((X %*% A) * X) * p * (1 - p)
all <- data.frame(rbind(X, X, X)[, -1], pseudo = rep(c(0, 1, 1), each = length(y)), y = c(y, y, 1 - y),
                  w = c(rep(1, length(y)), h / 2, h / 2))
flac <- suppressWarnings(glm(y ~ NV + PI + EH + pseudo, binomial, all, weights = w, epsilon = 1e-14, maxit = 200))
cat(sprintf("%.15g ", coef(flac)[1:4]), "\n")
