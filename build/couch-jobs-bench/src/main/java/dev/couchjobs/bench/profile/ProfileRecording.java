package dev.couchjobs.bench.profile;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import jdk.jfr.Recording;

/** A recording of what takes time and what allocates in this process. */
public final class ProfileRecording implements AutoCloseable {
    static final String EXECUTION = "jdk.ExecutionSample";
    /** An allocation that took another buffer for small objects. */
    static final String BUFFER = "jdk.ObjectAllocationInNewTLAB";
    /** An allocation in no buffer. */
    static final String LARGE_OBJECT = "jdk.ObjectAllocationOutsideTLAB";

    private static final Duration PERIOD = Duration.ofMillis(1);

    private final Recording recording = new Recording();

    private ProfileRecording() {}

    /** {@return a recording that has begun} */
    public static ProfileRecording start() {
        ProfileRecording profile = new ProfileRecording();
        profile.recording.enable(EXECUTION).withPeriod(PERIOD).withStackTrace();
        profile.recording.enable(BUFFER).withStackTrace();
        profile.recording.enable(LARGE_OBJECT).withStackTrace();
        profile.recording.start();
        return profile;
    }

    /**
     * Ends the recording.
     *
     * @param file receives it; an existing file is replaced
     * @throws IOException if it cannot be written
     */
    public void write(Path file) throws IOException {
        recording.stop();
        recording.dump(file);
    }

    @Override
    public void close() {
        recording.close();
    }
}
