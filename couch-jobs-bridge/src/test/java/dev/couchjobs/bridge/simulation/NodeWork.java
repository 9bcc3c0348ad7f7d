package dev.couchjobs.bridge.simulation;

import dev.couchjobs.bridge.internal.work.WorkKind;
import dev.couchjobs.fdb.simulation.SimulatedProcess;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** The kinds of work items to which nodes subscribe. */
record NodeWork(Map<String, Items.Kind> kinds, ActionJournal journal, ItemLaws laws) {
    /** {@return the kinds of a process} */
    Map<String, WorkKind> kinds(String node, SimulatedProcess process) {
        Map<String, WorkKind> all = new TreeMap<>();
        kinds.forEach((name, kind) -> {
            if (kind.nodes().contains(node)) {
                all.put(
                        name,
                        new WorkKind(
                                item -> journal.action(
                                        process, Effect.of(item.path("do").asString())),
                                kind.retry(),
                                Optional.empty(),
                                kind.concurrency()));
            }
        });
        return all;
    }
}
