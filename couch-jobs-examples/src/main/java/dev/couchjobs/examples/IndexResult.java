package dev.couchjobs.examples;

import java.util.Locale;
import java.util.Map;

/**
 * What a run has led to.
 *
 * @param index the index as it is in the database
 * @param plain the same files, counted without it
 * @param jobs how many jobs there were
 * @param finishes how many transactions committed that finished a job
 * @param processors how many processors there were
 * @param victim the number of the one that stopped dead
 * @param lostByVictim how many jobs it held then, all of which it was refused to go on with
 * @param returns how often a job was running and became pending again
 * @param leftOut files that are not compared, and why
 */
record IndexResult(
        Totals index,
        Totals plain,
        int jobs,
        long finishes,
        int processors,
        int victim,
        int lostByVictim,
        int returns,
        Map<String, String> leftOut) {

    boolean isRight() {
        return index.equals(plain) && finishes == jobs;
    }

    /** {@return what happened, in two or three lines} */
    String summary() {
        return String.format(
                Locale.ROOT,
                "%s, %,d words; processor %d of %d died with %s;%n%s%s; %s.",
                Totals.counted(index.files(), "file"),
                index.words(),
                victim,
                processors,
                Totals.counted(lostByVictim, "job"),
                late(),
                finishes == jobs
                        ? "all jobs finished, none twice"
                        : Totals.counted(jobs, "job") + " WERE FINISHED " + finishes + " TIMES",
                index.equals(plain) ? "a plain count agrees with the index" : "A PLAIN COUNT DIFFERS: " + difference());
    }

    private String late() {
        int others = returns - lostByVictim;
        return others <= 0
                ? ""
                : String.format("%s came back from processors that were too slow;%n", Totals.counted(others, "job"));
    }

    private String difference() {
        return Totals.counted(plain.files(), "file") + ", " + plain.words() + " words, " + plain.differentWords()
                + " different ones instead of " + index.differentWords();
    }
}
