package dev.couchjobs.bench.profile;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class FramesTest {
    @Test
    void arraysHaveTheirNamesInSourceCode() {
        assertThat(Frames.typeName("[B")).isEqualTo("byte[]");
        assertThat(Frames.typeName("[[Ljava.lang.String;")).isEqualTo("java.lang.String[][]");
        assertThat(Frames.typeName("java.lang.String")).isEqualTo("java.lang.String");
    }

    @Test
    void hiddenClassesHaveTheSameNameInEachRun() {
        assertThat(Frames.typeName("dev.couchjobs.Jobs$$Lambda$14+0x00007f.123/99"))
                .isEqualTo("dev.couchjobs.Jobs$$Lambda");
        assertThat(Frames.typeName("java.lang.invoke.LambdaForm$MH+0x00007fc17c148800.119290689"))
                .isEqualTo("java.lang.invoke.LambdaForm$MH");
    }

    @Test
    void theBenchmarksAreNotOurs() {
        assertThat(Frames.isOurs("com.apple.foundationdb.tuple.Tuple")).isTrue();
        assertThat(Frames.isOurs("dev.couchjobs.fdb.internal.log.CommitLog")).isTrue();
        assertThat(Frames.isOurs("dev.couchjobs.bench.jobs.JobTally")).isFalse();
        assertThat(Frames.isOurs("java.util.TreeMap")).isFalse();
    }
}
