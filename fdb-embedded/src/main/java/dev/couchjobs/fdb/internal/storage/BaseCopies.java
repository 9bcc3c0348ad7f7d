package dev.couchjobs.fdb.internal.storage;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The copies of the base from which backups are written, each in a directory of its own. They are on the disk of the
 * base, so that one is made of links, at once.
 *
 * @param directory where they are
 */
record BaseCopies(Path directory) {
    /** Removes what killed processes have left. Called by the process that has the database open. */
    void clear() {
        remove(directory);
    }

    /** {@return a new, empty directory} */
    Path create() throws IOException {
        Files.createDirectories(directory);
        for (int number = 1; true; number++) {
            Path copy = directory.resolve(Integer.toString(number));
            try {
                return Files.createDirectory(copy);
            } catch (FileAlreadyExistsException used) {
                // Another backup runs.
            }
        }
    }

    /** Removes a copy. What the disk does not let go the next opening of the database removes. */
    void remove(Path copy) {
        try {
            FileTrees.delete(copy);
        } catch (IOException ignored) {
            // It only takes space.
        }
    }
}
