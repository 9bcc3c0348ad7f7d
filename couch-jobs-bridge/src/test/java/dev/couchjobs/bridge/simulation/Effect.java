package dev.couchjobs.bridge.simulation;

import dev.couchjobs.bridge.internal.document.ActionPlan;
import java.time.Duration;

/**
 * The effect of an action in the simulation: it takes time, and fails or succeeds.
 *
 * @param isAlternative whether it is the alternative of a step
 * @param length how long it takes
 * @param succeedsFrom the first try that succeeds, from 1; 0 for none
 */
record Effect(boolean isAlternative, Duration length, int succeedsFrom) {
    private static final String WORK = "work";
    private static final String OTHERWISE = "otherwise";

    String command() {
        return (isAlternative ? OTHERWISE : WORK) + " " + length.toMillis() + " " + succeedsFrom;
    }

    static Effect of(ActionPlan plan) {
        return of(((ActionPlan.Shell) plan).command());
    }

    static Effect of(String command) {
        String[] words = command.split(" ", -1);
        return new Effect(
                words[0].equals(OTHERWISE), Duration.ofMillis(Long.parseLong(words[1])), Integer.parseInt(words[2]));
    }

    boolean succeedsAt(int attempt) {
        return succeedsFrom > 0 && attempt >= succeedsFrom;
    }
}
