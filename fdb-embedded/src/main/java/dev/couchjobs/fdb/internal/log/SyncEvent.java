package dev.couchjobs.fdb.internal.log;

import jdk.jfr.Category;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import org.jspecify.annotations.Nullable;

/** A sync of a file in a flight recording. Java's own event leaves out the channel that {@link SystemFile} uses. */
@Name("dev.couchjobs.fdb.FileSync")
@Label("File Sync")
@Category("fdb-embedded")
@StackTrace(false)
final class SyncEvent extends Event {
    @Label("Path")
    @Nullable String path;
}
