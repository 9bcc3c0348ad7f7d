package dev.couchjobs.bridge.internal.action;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashSet;
import java.util.Set;

/**
 * The processes of one command: its group, and what is known of those that have left it. Handles of processes carry the
 * time at which these began, so that none is taken for another that has got its number.
 */
final class ProcessTree {
    private final Process guard;
    private final boolean isGroup;
    private final Set<ProcessHandle> seen = new LinkedHashSet<>();

    ProcessTree(Process guard, boolean isGroup) {
        this.guard = guard;
        this.isGroup = isGroup;
    }

    /** Asks them to end. Those of the group get the signal once, since some take a second one for impatience. */
    synchronized void terminate() {
        look();
        if (isGroup) {
            signal("TERM");
        } else {
            seen.forEach(ProcessHandle::destroy);
        }
    }

    /** Ends them: a group all at once, so that none of it can start another meanwhile. */
    synchronized void kill() {
        look();
        if (isGroup) {
            signal("KILL");
        } else {
            killEach();
        }
    }

    /** Ends them one by one, where there is no group or no process is left in it to signal it. */
    synchronized void killEach() {
        look();
        killSeen();
        // Not the process itself: that would close its output, too, before it has been read.
        guard.toHandle().destroyForcibly();
    }

    /** Ends those that were there when they were asked to end and are still there. */
    synchronized void killSeen() {
        seen.forEach(ProcessHandle::destroyForcibly);
    }

    private void look() {
        guard.descendants().forEach(seen::add);
    }

    private void signal(String name) {
        try {
            OutputStream watcher = guard.getOutputStream();
            watcher.write((name + "\n").getBytes(StandardCharsets.US_ASCII));
            watcher.flush();
        } catch (IOException e) {
            // All of the group has ended.
        }
    }
}
