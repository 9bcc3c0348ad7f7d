package dev.couchjobs.bench.soak;

import static org.assertj.core.api.Assertions.assertThat;

import org.HdrHistogram.Recorder;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ServerReplyTest {
    @ParameterizedTest
    @ValueSource(longs = {0, 30, 5_000, 70_000, 3_600_000, Long.MAX_VALUE})
    void timesOfAnyLengthArrive(long wait) {
        Recorder recorder = ServerReply.recorder();
        ServerReply.record(recorder, 7);
        ServerReply.record(recorder, wait);

        String waits = ServerReply.encoded(recorder.getIntervalHistogram());

        assertThat(new ServerReply.Check(0, 0, waits).histogram())
                .satisfies(arrived -> assertThat(arrived.getTotalCount()).isEqualTo(2))
                .satisfies(arrived -> assertThat(arrived.getMaxValue()).isBetween(7L, Math.max(7, (long)
                        Math.min(wait * 1.01, 87_000_000))));
    }
}
