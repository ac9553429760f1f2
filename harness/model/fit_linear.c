#include "harness/model/fit_internal.h"

#include <math.h>

bool fit_factor(double *matrix, int size)
{
    for (int i = 0; i < size; i++)
        for (int j = 0; j <= i; j++) {
            double sum = matrix[i * FIT_MOST + j];
            for (int k = 0; k < j; k++)
                sum -= matrix[i * FIT_MOST + k] * matrix[j * FIT_MOST + k];
            if (i == j && !(sum > 0))
                return false;
            matrix[i * FIT_MOST + j] = i == j ? sqrt(sum) : sum / matrix[j * FIT_MOST + j];
        }
    return true;
}

void fit_back_solve(const double *factor, int size, double *vector)
{
    for (int i = 0; i < size; i++) {
        for (int k = 0; k < i; k++)
            vector[i] -= factor[i * FIT_MOST + k] * vector[k];
        vector[i] /= factor[i * FIT_MOST + i];
    }
    for (int i = size - 1; i >= 0; i--) {
        for (int k = i + 1; k < size; k++)
            vector[i] -= factor[k * FIT_MOST + i] * vector[k];
        vector[i] /= factor[i * FIT_MOST + i];
    }
}
