package dev.couchjobs.fdb.internal.storage;

import dev.couchjobs.fdb.internal.log.DatabaseDirectory;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.AtomicMoveNotSupportedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** Directories with all that is in them. */
final class FileTrees {
    /** Brings a directory of files to a place where nothing is, durably. */
    interface Move {
        void move(Path from, Path to) throws IOException;
    }

    private FileTrees() {}

    /** Renames a directory of files, or copies it to another file system. */
    static void move(Path from, Path to) throws IOException {
        try {
            Files.move(from, to, StandardCopyOption.ATOMIC_MOVE);
        } catch (AtomicMoveNotSupportedException otherFileSystem) {
            copy(from, to);
        }
    }

    /** Copies a directory of files. */
    static void copy(Path from, Path to) throws IOException {
        Files.createDirectory(to);
        for (Path file : list(from)) {
            copyFile(file, to.resolve(file.getFileName()));
        }
        DatabaseDirectory.sync(to);
    }

    private static List<Path> list(Path directory) throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.toList();
        }
    }

    private static void copyFile(Path from, Path to) throws IOException {
        try (FileChannel source = FileChannel.open(from);
                FileChannel target = FileChannel.open(to, StandardOpenOption.WRITE, StandardOpenOption.CREATE_NEW)) {
            long size = source.size();
            for (long done = 0; done < size; ) {
                done += source.transferTo(done, size - done, target);
            }
            target.force(true);
        }
    }

    /** Deletes a directory, if it is there. */
    static void delete(Path directory) throws IOException {
        if (!Files.exists(directory)) {
            return;
        }
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }
}
