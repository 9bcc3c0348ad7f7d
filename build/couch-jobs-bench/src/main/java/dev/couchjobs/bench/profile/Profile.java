package dev.couchjobs.bench.profile;

import java.io.IOException;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordedFrame;
import jdk.jfr.consumer.RecordingFile;

/** What a recording says about some intervals: what takes time, and what allocates. */
public final class Profile {
    private final Weights self = new Weights();
    private final Weights inclusive = new Weights();
    private final Weights allocations = new Weights();
    private final FlameGraphFile cpuGraph = new FlameGraphFile("CPU time, samples");
    private final FlameGraphFile allocationGraph = new FlameGraphFile("Allocations, bytes");
    private final List<Interval> intervals;
    private long samples;

    /**
     * A frame or an allocation, and how much it weighs.
     *
     * @param name its name
     * @param weight samples or bytes
     */
    public record Line(String name, long weight) {}

    private Profile(List<Interval> intervals) {
        this.intervals = intervals;
    }

    /**
     * {@return the profile of a recording}
     *
     * @param file the recording
     * @param intervals the times that count
     * @throws IOException if the file cannot be read
     */
    public static Profile read(Path file, List<Interval> intervals) throws IOException {
        Profile profile = new Profile(intervals);
        try (RecordingFile recording = new RecordingFile(file)) {
            while (recording.hasMoreEvents()) {
                profile.add(recording.readEvent());
            }
        }
        return profile;
    }

    private void add(RecordedEvent event) {
        if (event.getStackTrace() == null
                || intervals.stream().noneMatch(interval -> interval.contains(event.getStartTime()))) {
            return;
        }
        List<RecordedFrame> frames = event.getStackTrace().getFrames();
        switch (event.getEventType().getName()) {
            case ProfileRecording.EXECUTION -> addSample(frames);
            case ProfileRecording.BUFFER -> addAllocation(frames, allocated(event), event.getLong("tlabSize"));
            case ProfileRecording.LARGE_OBJECT ->
                addAllocation(frames, allocated(event), event.getLong("allocationSize"));
            default -> {}
        }
    }

    private static String allocated(RecordedEvent event) {
        return event.getClass("objectClass").getName();
    }

    private void addSample(List<RecordedFrame> frames) {
        samples++;
        cpuGraph.add(frames, Optional.empty(), 1);
        if (!frames.isEmpty()) {
            self.add(Frames.name(frames.get(0)), 1);
        }
        Set<String> ours = new HashSet<>();
        frames.stream().filter(Frames::isOurs).map(Frames::name).forEach(ours::add);
        ours.forEach(name -> inclusive.add(name, 1));
    }

    private void addAllocation(List<RecordedFrame> frames, String allocated, long bytes) {
        String type = Frames.typeName(allocated);
        allocationGraph.add(frames, Optional.of(type), bytes);
        String site = frames.stream()
                .filter(Frames::isOurs)
                .findFirst()
                .or(() -> frames.stream().findFirst())
                .map(Frames::name)
                .orElse("?");
        allocations.add(type + " in " + site, bytes);
    }

    /** {@return the number of samples} */
    public long samples() {
        return samples;
    }

    /**
     * {@return the frames in which most samples were taken}
     *
     * @param count how many
     */
    public List<Line> self(int count) {
        return self.top(count);
    }

    /**
     * {@return the frames of couch-jobs and of FoundationDB's Java that, with what they call, have most samples}
     *
     * @param count how many
     */
    public List<Line> inclusive(int count) {
        return inclusive.top(count);
    }

    /**
     * {@return the classes of most bytes of new objects, each with the frame of couch-jobs or FoundationDB's Java that
     *     asked for them}
     *
     * @param count how many
     */
    public List<Line> allocations(int count) {
        return allocations.top(count);
    }

    /**
     * Writes the flame graphs as HTML.
     *
     * @param cpu the file for CPU time
     * @param allocation the file for allocations
     * @throws IOException if they cannot be written
     */
    public void writeFlameGraphs(Path cpu, Path allocation) throws IOException {
        cpuGraph.write(cpu);
        allocationGraph.write(allocation);
    }
}
