package dev.couchjobs.fdb.stackmachine;

import static org.assertj.core.api.Assertions.assertThat;

import com.apple.foundationdb.KeySelector;
import com.apple.foundationdb.StreamingMode;
import com.apple.foundationdb.Transaction;
import com.apple.foundationdb.tuple.ByteArrayUtil;
import dev.couchjobs.fdb.model.ModelDatabase;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** What the comparison of random programs is good for: faults that engines have had, planted and found. */
class PlantedFaultsTest {

    private static final int MOST_PROGRAMS = 500;

    @Test
    void aReverseRangeThatIgnoresItsLimitIsFound() {
        Difference difference = find((tr, method, arguments) -> {
            if (method.getName().equals("getRange") && arguments.length == 5 && (boolean) arguments[3]) {
                KeySelector begin = (KeySelector) arguments[0];
                return tr.getRange(begin, (KeySelector) arguments[1], 0, true, StreamingMode.WANT_ALL);
            }
            return method.invoke(tr, arguments);
        });

        assertThat(difference.program().groups()).as("%s", difference.program()).hasSizeLessThanOrEqualTo(3);
        assertThat(difference.program().toString()).contains("GET_RANGE");
    }

    @Test
    void aReadFromAStaleCacheIsFound() {
        Map<String, Object> cache = new HashMap<>();
        Difference difference = find((tr, method, arguments) -> {
            if (!method.getName().equals("get")) {
                return method.invoke(tr, arguments);
            }
            Object read = method.invoke(tr, arguments);
            return cache.computeIfAbsent(ByteArrayUtil.printable((byte[]) arguments[0]), key -> read);
        });

        assertThat(difference.program().groups()).as("%s", difference.program()).hasSizeLessThanOrEqualTo(3);
        assertThat(difference.program().toString()).contains("GET");
    }

    @Test
    void aReadThatDeclaresNoConflictIsFound() {
        Difference difference = find((tr, method, arguments) -> {
            boolean reads = method.getName().equals("get") && tr instanceof Transaction;
            return method.invoke(reads ? tr.snapshot() : tr, arguments);
        });

        assertThat(difference.program().groups()).as("%s", difference.program()).hasSizeLessThanOrEqualTo(8);
        assertThat(difference.one().stack()).isNotEqualTo(difference.other().stack());
        assertThat(difference.one().stack().toString()).contains("1020");
        assertThat(difference.other().stack().toString()).doesNotContain("1020");
    }

    @Test
    void aReportSaysHowToSeeTheDifferenceAgain() {
        Difference difference =
                find((tr, method, arguments) -> method.getName().equals("clear") ? null : method.invoke(tr, arguments));

        assertThat(difference.report("the command"))
                .contains("seed " + difference.program().seed())
                .contains(difference.program().toString())
                .contains("Stack of the right one:")
                .contains("Contents of the faulty one:")
                .contains("the command");
    }

    private static Difference find(PlantedFaultDatabase.Fault fault) {
        ModelDatabase model = new ModelDatabase();
        Comparison comparison = new Comparison(
                TestedDatabase.of("the right one", model),
                TestedDatabase.of("the faulty one", PlantedFaultDatabase.of(new ModelDatabase(), fault)));
        return LongStream.range(0, MOST_PROGRAMS)
                .mapToObj(ApiPrograms::of)
                .map(comparison::run)
                .flatMap(Optional::stream)
                .findFirst()
                .orElseThrow(() -> new AssertionError("None of " + MOST_PROGRAMS + " programs found the fault"));
    }
}
