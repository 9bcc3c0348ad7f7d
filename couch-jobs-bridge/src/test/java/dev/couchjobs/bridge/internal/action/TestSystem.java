package dev.couchjobs.bridge.internal.action;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

/** What systems do differently: macOS has no program that creates sessions, and limits no address space. */
public final class TestSystem {
    /** The caller may not be the leader of a group, as for the system call. */
    private static final String SETSID = """
            #!/usr/bin/env perl
            use POSIX ();
            POSIX::setsid() >= 0 or die "setsid: $!\\n";
            exec { $ARGV[0] } @ARGV or die "$ARGV[0]: $!\\n";
            """;

    private static final Map<String, String> ENVIRONMENT = withSetsid(System.getenv());

    private TestSystem() {}

    /** {@return the variables of this process, with a PATH that has {@code setsid}} */
    public static Map<String, String> environment() {
        return ENVIRONMENT;
    }

    /** {@return whether the shell can limit the address space of a command} */
    public static boolean limitsMemory() {
        try {
            return new ProcessBuilder("/bin/sh", "-c", "ulimit -v 65536 && test \"$(ulimit -v)\" = 65536")
                            .redirectErrorStream(true)
                            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                            .start()
                            .waitFor()
                    == 0;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static Map<String, String> withSetsid(Map<String, String> variables) {
        String path = variables.getOrDefault("PATH", "");
        if (ShellGuard.on(path).makesGroups()) {
            return variables;
        }
        try {
            Path directory = Files.createTempDirectory("couch-jobs-setsid-");
            Path program = Files.writeString(directory.resolve("setsid"), SETSID);
            directory.toFile().deleteOnExit();
            program.toFile().deleteOnExit();
            if (!program.toFile().setExecutable(true)) {
                throw new IllegalStateException(program + " cannot be made executable");
            }
            Map<String, String> extended = new HashMap<>(variables);
            extended.put("PATH", directory + File.pathSeparator + path);
            return Map.copyOf(extended);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
