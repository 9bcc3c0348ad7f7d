package dev.couchjobs.bridge.internal.action;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashSet;
import java.util.Set;

/**
 * The processes of one command: its group, and the known ones that have left it. Process handles contain the start
 * time, so a reused process id is recognized.
 */
final class ProcessTree {
    private final Process guard;
    private final boolean isGroup;
    private final Set<ProcessHandle> seen = new LinkedHashSet<>();

    ProcessTree(Process guard, boolean isGroup) {
        this.guard = guard;
        this.isGroup = isGroup;
    }

    /** Sends TERM. The group gets it once, because some programs treat a second one differently. */
    synchronized void terminate() {
        look();
        if (isGroup) {
            signal("TERM");
        } else {
            seen.forEach(ProcessHandle::destroy);
        }
    }

    /** Kills the group as a whole, so that no member can start another process meanwhile. */
    synchronized void kill() {
        look();
        if (isGroup) {
            signal("KILL");
        } else {
            killEach();
        }
    }

    /** Kills the processes one by one, if there is no group or no member is left to signal it. */
    synchronized void killEach() {
        look();
        killSeen();
        // The handle does not close the output, which has still to be read, as the process object would.
        guard.toHandle().destroyForcibly();
    }

    /** Kills those that existed when TERM was sent and still exist. */
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
            // The whole group has ended.
        }
    }
}
