package dev.couchjobs.fdb.internal.log;

import dev.couchjobs.fdb.embedded.UnknownFormatException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/** The file that says what a directory is. It comes last when one is made, so where it is, everything is. */
record FormatFile(Path directory, LogFiles files) {
    static final String NAME = "FORMAT";
    static final String UNFINISHED = "FORMAT.new";

    private static final int LIMIT = 4096;
    private static final String PRODUCT = "fdb-embedded";
    private static final int VERSION = 1;
    private static final String TEXT = PRODUCT + " " + VERSION
            + "\n\nThis directory is a database. Change, add or remove nothing by hand; a copy of it is a backup if"
            + " it was made"
            + "\nwhile the database was closed.\n";

    boolean exists() {
        return files.exists(directory.resolve(NAME));
    }

    void write() throws IOException {
        Path unfinished = directory.resolve(UNFINISHED);
        try (LogFile file = files.create(unfinished)) {
            file.writeFully(StandardCharsets.UTF_8.encode(TEXT), 0);
            file.force();
        }
        files.rename(unfinished, directory.resolve(NAME));
        files.syncDirectory(directory);
    }

    /** Throws unless this version of fdb-embedded can read the directory. */
    void check() throws IOException {
        Path path = directory.resolve(NAME);
        String line = firstLine(path);
        if (!line.equals(PRODUCT + " " + VERSION)) {
            throw new UnknownFormatException(
                    path + " says \"" + line + "\", and this version of fdb-embedded reads \"" + PRODUCT + " "
                            + VERSION
                            + "\". Nothing was touched. Open it with the version that made it, or open another"
                            + " directory.",
                    path);
        }
    }

    private String firstLine(Path path) throws IOException {
        try (LogFile file = files.open(path)) {
            ByteBuffer text = ByteBuffer.allocate((int) Math.min(LIMIT, file.size()));
            file.readFully(text, 0);
            return StandardCharsets.UTF_8.decode(text.flip()).toString().split("\n", 2)[0];
        }
    }
}
