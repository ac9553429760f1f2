/* Narrow elements: what they can hold comes back, in the bits that their standards say. */
#include "harness/measure/element.h"
#include "tests/unit/test.h"

#include <math.h>

static double there_and_back(enum element element, double value)
{
    char bytes[8];
    double back;
    element_encode(element, &value, 1, bytes);
    element_decode(element, bytes, 1, &back);
    return back;
}

static void small_whole_numbers_are_exact_in_every_type(void **state)
{
    (void)state;
    static const enum element narrow[] = {ELEMENT_BF16, ELEMENT_INT8, ELEMENT_F16, ELEMENT_E4M3,
                                          ELEMENT_E5M2};
    for (size_t i = 0; i < sizeof(narrow) / sizeof(narrow[0]); i++)
        for (int value = -8; value <= 8; value++)
            if (there_and_back(narrow[i], value) != value)
                fail_msg("%d becomes %g in type %d", value, there_and_back(narrow[i], value),
                         narrow[i]);
    for (int value = -2048; value <= 2048; value++)
        assert_true(there_and_back(ELEMENT_F16, value) == value);
}

static void the_bits_are_those_of_the_standards(void **state)
{
    (void)state;
    static const struct {
        enum element element;
        double value;
        unsigned bits;
    } cases[] = {
        {ELEMENT_F16, 1, 0x3c00},       {ELEMENT_F16, -2, 0xc000},
        {ELEMENT_F16, 65504, 0x7bff},   {ELEMENT_F16, 0x1p-24, 0x0001},
        {ELEMENT_F16, 1.0 / 3, 0x3555}, {ELEMENT_E4M3, 1, 0x38},
        {ELEMENT_E4M3, 448, 0x7e},      {ELEMENT_E4M3, -0x1p-6, 0x88},
        {ELEMENT_E4M3, 0x1p-9, 0x01},   {ELEMENT_E4M3, 7, 0x4e},
        {ELEMENT_E5M2, 1, 0x3c},        {ELEMENT_E5M2, 57344, 0x7b},
        {ELEMENT_E5M2, -0x1p-14, 0x84}, {ELEMENT_E5M2, 0x1p-16, 0x01},
        {ELEMENT_BF16, 1, 0x3f80},      {ELEMENT_BF16, -3, 0xc040},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        uint16_t bits = 0;
        element_encode(cases[i].element, &cases[i].value, 1, &bits);
        if (bits != cases[i].bits)
            fail_msg("%g is 0x%x in type %d, not 0x%x", cases[i].value, bits, cases[i].element,
                     cases[i].bits);
        assert_true(fabs(there_and_back(cases[i].element, cases[i].value) - cases[i].value) <=
                    1e-3 * fabs(cases[i].value));
    }
}

static void poison_is_no_number(void **state)
{
    (void)state;
    static const enum element with_nan[] = {ELEMENT_F32, ELEMENT_F64,  ELEMENT_BF16,
                                            ELEMENT_F16, ELEMENT_E4M3, ELEMENT_E5M2};
    for (size_t i = 0; i < sizeof(with_nan) / sizeof(with_nan[0]); i++)
        assert_true(isnan(there_and_back(with_nan[i], NAN)));
    assert_true(there_and_back(ELEMENT_INT8, NAN) == INT8_MIN);
    assert_true(there_and_back(ELEMENT_INT32, NAN) == INT32_MIN);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_whole_numbers_are_exact_in_every_type),
        cmocka_unit_test(the_bits_are_those_of_the_standards),
        cmocka_unit_test(poison_is_no_number),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
