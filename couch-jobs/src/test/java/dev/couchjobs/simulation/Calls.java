package dev.couchjobs.simulation;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

/** What the actors asked for, and what they were told. */
final class Calls {
    final Map<String, Integer> added = new HashMap<>();
    final Map<String, Integer> resubmitting = new HashMap<>();
    int resubmittingAll;
    /** But for those calls that found nothing. */
    final Map<String, Integer> removing = new HashMap<>();

    final Map<String, Integer> cancelling = new HashMap<>();
    final Map<String, Integer> removed = new HashMap<>();
    final Map<UUID, Boolean> finished = new HashMap<>();
    final Set<UUID> claimed = new HashSet<>();
}
