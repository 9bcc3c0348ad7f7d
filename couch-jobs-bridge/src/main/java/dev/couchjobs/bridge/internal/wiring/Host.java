package dev.couchjobs.bridge.internal.wiring;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/** The name of the machine, for people. It does not ask a name server, which may take long. */
final class Host {
    private static final Path LINUX = Path.of("/proc/sys/kernel/hostname");

    private Host() {}

    /** {@return this process and its machine, for people} */
    static String process() {
        return "process " + ProcessHandle.current().pid() + " on " + name();
    }

    static String name() {
        try {
            return "host " + Files.readString(LINUX).strip();
        } catch (IOException elsewhere) {
            return Optional.ofNullable(System.getenv("COMPUTERNAME"))
                    .or(() -> Optional.ofNullable(System.getenv("HOSTNAME")))
                    .map(name -> "host " + name)
                    .orElse("a host without a name");
        }
    }
}
