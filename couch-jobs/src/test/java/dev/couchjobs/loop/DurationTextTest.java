package dev.couchjobs.loop;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Durations in messages. */
class DurationTextTest {
    @Test
    void unitsThatAreNeededAreShown() {
        Map.ofEntries(
                        Map.entry("PT0S", "0 s"),
                        Map.entry("PT1S", "1 s"),
                        Map.entry("PT1.5S", "1 s 500 ms"),
                        Map.entry("PT0.25S", "250 ms"),
                        Map.entry("PT0.000000001S", "1 ns"),
                        Map.entry("PT90S", "1 min 30 s"),
                        Map.entry("PT1H5M", "1 h 5 min"),
                        Map.entry("P2DT4H", "2 d 4 h"),
                        Map.entry("P365D", "365 d"),
                        Map.entry("PT-5S", "-5 s"),
                        Map.entry("PT-1H-0.5S", "-1 h 500 ms"))
                .forEach((iso, text) ->
                        assertThat(DurationText.of(Duration.parse(iso))).as(iso).isEqualTo(text));
        assertThat(DurationText.of(Duration.ofSeconds(Long.MAX_VALUE, 999_999_999)))
                .isEqualTo("106751991167300 d 15 h 30 min 7 s 999 ms 999999 ns");
        assertThat(DurationText.of(Duration.ofSeconds(Long.MIN_VALUE))).isEqualTo("-106751991167300 d 15 h 30 min 8 s");
    }
}
