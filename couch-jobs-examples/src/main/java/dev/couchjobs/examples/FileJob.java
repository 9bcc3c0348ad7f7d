package dev.couchjobs.examples;

import dev.couchjobs.JobType;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The data of a job: one file to be indexed. The id of the job is the path as well.
 *
 * @param path the file, relative to the directory that is indexed
 * @param processor the number of the processor that wrote this, or 0 if none has yet
 * @param words how many words it has found so far
 * @param skipped why the file could not be read, or null
 */
record FileJob(
        String path, int processor, long words, @Nullable String skipped) {
    static final JobType<FileJob, ?> TYPE =
            JobType.of("index-file", FileJob.class).activityTimeout(Duration.ofSeconds(1));

    static FileJob of(String path) {
        return new FileJob(path, 0, 0, null);
    }

    FileJob takenBy(int newProcessor) {
        return new FileJob(path, newProcessor, 0, null);
    }

    FileJob plus(long moreWords) {
        return new FileJob(path, processor, words + moreWords, null);
    }

    FileJob skippedBecause(String why) {
        return new FileJob(path, processor, words, why);
    }
}
