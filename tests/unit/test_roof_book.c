/* Roofs that a bench predicts from: of its own device, and of products the highest. */
#include "harness/measure/roof_book.h"
#include "tests/unit/fake_files.h"
#include "tests/unit/test.h"

static const char text[] =
    "{\"schema\":1,\"created\":\"2026-01-31T12:00:00Z\",\"levels\":\"L1=32768\",\"ceilings\":["
    "{\"kind\":\"compute\",\"level\":\"\",\"mix\":\"fma\",\"dtype\":\"f64\",\"device\":\"cpu\","
    "\"threads\":1,\"value\":5e10},"
    "{\"kind\":\"compute\",\"level\":\"\",\"mix\":\"mma.sync\",\"dtype\":\"f64\","
    "\"device\":\"cuda:0\",\"threads\":1,\"value\":2e13},"
    "{\"kind\":\"compute\",\"level\":\"\",\"mix\":\"fma\",\"dtype\":\"f64\",\"device\":\"cuda:0\","
    "\"threads\":1,\"value\":3e13},"
    "{\"kind\":\"compute\",\"level\":\"\",\"mix\":\"mma.sync\",\"dtype\":\"f64\","
    "\"device\":\"cuda:0\",\"threads\":1,\"value\":6e13},"
    "{\"kind\":\"bandwidth\",\"level\":\"memory\",\"mix\":\"read\",\"dtype\":\"f64\","
    "\"device\":\"cuda:0\",\"threads\":1,\"value\":4e12}]}";

static int open_book(void **state)
{
    static struct roof_book book;
    char path[128];
    struct fake_files files;
    fake_files_open(&files);
    fake_files_put(&files, "roof.json", text);
    snprintf(path, sizeof(path), "%s/roof.json", files.root);
    const enum status status = roof_book_open(path, &book);
    fake_files_close(&files);
    *state = &book;
    return status == STATUS_OK ? 0 : 1;
}

static int close_book(void **state)
{
    roof_book_close(*state);
    return 0;
}

static void each_device_has_its_own_roofs(void **state)
{
    assert_true(roof_book_compute(*state, "cpu", "f64", 1)->value == 5e10);
    assert_true(roof_book_compute(*state, "cuda:0", "f64", 1)->value == 3e13);
    assert_null(roof_book_compute(*state, "cuda:1", "f64", 1));
    assert_null(roof_book_compute(*state, "cpu", "f64", 2));
    assert_null(roof_book_compute(*state, "cpu", "f32", 1));
    assert_true(roof_book_bandwidth(*state, "memory", "read", "cuda:0", "f64", 1)->value == 4e12);
    assert_null(roof_book_bandwidth(*state, "memory", "read", "cpu", "f64", 1));
    assert_null(roof_book_bandwidth(*state, "L1", "read", "cuda:0", "f64", 1));
}

static void the_roof_of_products_is_the_highest(void **state)
{
    assert_true(roof_book_product(*state, "cpu", "f64", 1)->value == 5e10);
    assert_true(roof_book_product(*state, "cuda:0", "f64", 1)->value == 6e13);
    assert_null(roof_book_product(*state, "cuda:0", "f16", 1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(each_device_has_its_own_roofs, open_book, close_book),
        cmocka_unit_test_setup_teardown(the_roof_of_products_is_the_highest, open_book, close_book),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
