/* Tables of a result: as CSV, and as a chapter of a page (lab.h). */
#include "tools/lab/lab.h"

#include <math.h>
#include <string.h>

/* Writes a field of CSV in quotes. */
static void write_text(FILE *stream, const char *text)
{
    fputc('"', stream);
    for (; *text; text++) {
        if (*text == '"')
            fputc('"', stream);
        fputc(*text, stream);
    }
    fputc('"', stream);
}

static void write_number(FILE *stream, double value)
{
    if (!isnan(value))
        fprintf(stream, "%.9g", value);
}

void lab_write_csv(FILE *stream, const lab_result *result)
{
    static const char *const relations[] = {"=", "<=", ">="};
    fputs("quantity,source,predicted,exact,measured,difference,tolerance,time_ms,time,relation,error,holds,"
          "why\n",
          stream);
    for (int i = 0; i < result->row_count; i++) {
        const lab_row *row = &result->rows[i];
        const double values[] = {row->predicted, row->exact,   row->measured, lab_row_difference(row),
                                 row->tolerance, row->time_ms, row->time};
        write_text(stream, row->quantity);
        fputc(',', stream);
        write_text(stream, row->source);
        for (size_t k = 0; k < sizeof values / sizeof *values; k++) {
            fputc(',', stream);
            write_number(stream, values[k]);
        }
        fprintf(stream, ",%s,", relations[row->relation]);
        write_number(stream, row->error);
        fprintf(stream, ",%s,", lab_row_holds(row) ? "yes" : "no");
        write_text(stream, row->why ? row->why : "");
        fputc('\n', stream);
    }
}

void lab_write_curves(FILE *stream, const lab_result *result)
{
    fputs("plot,curve,x,y\n", stream);
    for (int i = 0; i < result->plot_count; i++) {
        const lab_plot *plot = &result->plots[i];
        for (int j = 0; j < plot->series_count; j++) {
            const lab_series *series = &plot->series[j];
            for (int k = 0; k < series->count; k++) {
                write_text(stream, plot->name);
                fputc(',', stream);
                write_text(stream, series->name);
                fprintf(stream, ",%.9g,%.9g\n", series->x[k], series->y[k]);
            }
        }
    }
}

static void write_cell(FILE *stream, double value)
{
    if (isnan(value))
        fputs(" - |", stream);
    else
        fprintf(stream, " %.5g |", value);
}

/* Writes the exact or the predicted value, which may be a bound. */
static void write_reference(FILE *stream, const lab_row *row, double value, bool compared)
{
    if (compared && row->relation != LAB_EQUAL)
        fprintf(stream, " at %s", row->relation == LAB_AT_MOST ? "most" : "least");
    write_cell(stream, value);
}

/* Writes the measured value without digits that its error makes worthless. */
static void write_measured(FILE *stream, const lab_row *row)
{
    if (!(row->error > 0.0)) {
        write_cell(stream, row->measured);
        return;
    }
    const int place = (int)ceil(log10(row->error));
    const double unit = pow(10.0, place);
    fprintf(stream, " %.*f |", place < 0 ? -place : 0, round(row->measured / unit) * unit);
}

/* Writes text with no line longer than the others of the documents. */
static void write_wrapped(FILE *stream, const char *text)
{
    enum { WIDTH = 116 };
    int column = 0;
    while (*text) {
        const int word = (int)strcspn(text, " \n");
        if (column > 0 && column + 1 + word > WIDTH) {
            fputc('\n', stream);
            column = 0;
        } else if (column > 0) {
            fputc(' ', stream);
            column++;
        }
        fprintf(stream, "%.*s", word, text);
        column += word;
        text += word;
        while (*text == ' ')
            text++;
        for (; *text == '\n'; text++, column = 0)
            fputc('\n', stream);
    }
}

void lab_write_page_head(FILE *stream)
{
    fputs("# The lab\n\n", stream);
    write_wrapped(
        stream,
        "The page holds predictions of the source documents about solvers beside the exact value of the same "
        "quantity and the value that a solver or the engine shows. `drystone lab --long --page lab.md` "
        "writes all chapters and their plots, in some minutes; `drystone lab --out FOLDER` writes the tables "
        "as "
        "CSV and the curves as CSV and SVG, and `drystone lab --help` lists the experiments. The numbers do "
        "not depend on the machine, but for rounding and for times. Times are in the column *time, this "
        "machine*, and on the axes of the plots that name it: those of a step over that of the default in "
        "the same run. The CSV has milliseconds. The project's folder tools/lab/ has a file for each "
        "experiment, "
        "and "
        "docs/step.md lists the sources.\n\n"
        "*Predicted* is the document's formula. *Exact* is a closed form, or comes from the matrices of "
        "the world that the engine steps: J, M and A = J M^-1 J^T in double precision, from what the "
        "public calls tell. *Measured* is what an iteration or the engine does. The engine's error "
        "after k sweeps is the state after one step that is one substep of k sweeps, from impulses of "
        "0. *Difference* is that of measured and exact, as a share of exact, or itself where exact is "
        "0; of measured and predicted where nothing is exact. A value with *at most* or *at least* before it "
        "is a bound, which the measured one keeps. Digits of measured values that rounding decides are not "
        "printed. The tests assert for each row that it "
        "stays within a bound, which the CSV has. Rows whose numbers theory does not bound have a note below "
        "their table that says why. A prediction that is far from the exact value is the document's; the "
        "text "
        "says why.\n");
}

static bool has_times(const lab_result *result)
{
    for (int i = 0; i < result->row_count; i++)
        if (!isnan(result->rows[i].time))
            return true;
    return false;
}

/* Returns a positive number rounded up to one digit. */
static double rounded_up(double value)
{
    const double unit = pow(10.0, floor(log10(value)));
    return ceil(value / unit - 1e-9) * unit;
}

static void write_difference(FILE *stream, const lab_row *row)
{
    const double difference = lab_row_difference(row), of = isnan(row->exact) ? row->predicted : row->exact;
    /* A difference within the error of the measured value says nothing, but that it is no larger. */
    const double error = of == 0.0 ? row->error : row->error / fabs(of);
    if (isnan(difference))
        fputs(" - |", stream);
    else if (of == 0.0)
        fprintf(stream, " %.2g |", difference);
    else if (error > 0.0 && fabs(difference) <= 1.001 * error)
        fprintf(stream, " < %g %% |", rounded_up(100.0 * error));
    else if (fabs(difference) < 1e-6) /* rounding, which the compiler may change */
        fputs(" < 0.0001 % |", stream);
    else
        fprintf(stream, " %.2g %% |", 100.0 * difference);
}

/* Returns the number of a row's note, from 1 in the order of the table: rows with one reason share one. 0
 * without a reason. */
static int note_of(const lab_result *result, int row)
{
    int note = 0;
    for (int i = 0; i <= row && result->rows[row].why; i++) {
        bool first = result->rows[i].why != NULL;
        for (int k = 0; k < i && first; k++)
            first = !result->rows[k].why || strcmp(result->rows[k].why, result->rows[i].why) != 0;
        note += first;
        if (result->rows[i].why && strcmp(result->rows[i].why, result->rows[row].why) == 0)
            return note;
    }
    return 0;
}

/* Writes why some rows have no bound, below their table. */
static void write_notes(FILE *stream, const lab_result *result)
{
    int last = 0;
    for (int i = 0; i < result->row_count; i++)
        if (note_of(result, i) > last) {
            char text[512];
            last = note_of(result, i);
            snprintf(text, sizeof text, "%s- (%d) Without a bound: %s.\n", last == 1 ? "\n" : "", last,
                     result->rows[i].why);
            write_wrapped(stream, text);
        }
}

void lab_write_page_chapter(FILE *stream, const lab_result *result, const char *plots)
{
    const lab_experiment *e = result->experiment;
    const bool times = has_times(result);
    fprintf(stream, "\n## %s\n\n`drystone lab %s`\n\n", e->title, e->name);
    write_wrapped(stream, e->text);
    const bool odd = plots && strpbrk(plots, " ()"); /* Markdown takes such a path in angle brackets alone */
    for (int i = 0; i < result->plot_count && plots; i++)
        fprintf(stream, "\n![%s](%s%s/%s_%s.svg%s)\n", result->plots[i].title, odd ? "<" : "", plots, e->name,
                result->plots[i].name, odd ? ">" : "");
    fprintf(stream, "\n| quantity | source | predicted | exact | measured | difference |%s\n%s%s\n",
            times ? " time, this machine |" : "", "|---|---|---|---|---|---|", times ? "---|" : "");
    for (int i = 0; i < result->row_count; i++) {
        const lab_row *row = &result->rows[i];
        fprintf(stream, "| %s", row->quantity);
        if (row->why)
            fprintf(stream, " (%d)", note_of(result, i));
        fprintf(stream, " | %s |", row->source[0] ? row->source : "-");
        write_reference(stream, row, row->predicted, isnan(row->exact));
        write_reference(stream, row, row->exact, !isnan(row->exact));
        write_measured(stream, row);
        write_difference(stream, row);
        if (times && isnan(row->time))
            fputs(" - |", stream);
        else if (times)
            fprintf(stream, " %.2g |", row->time);
        fputs(lab_row_holds(row) ? "\n" : " **does not hold**\n", stream);
    }
    write_notes(stream, result);
}
