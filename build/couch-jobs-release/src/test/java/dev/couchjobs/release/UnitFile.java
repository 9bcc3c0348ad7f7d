package dev.couchjobs.release;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;

/**
 * A unit of systemd.
 *
 * @param settings the values by {@code Section.Key}
 */
record UnitFile(Map<String, String> settings) {
    static UnitFile read(Path file) throws IOException {
        Map<String, String> settings = new LinkedHashMap<>();
        String section = "";
        for (String line : Files.readAllLines(file)) {
            int mark = line.indexOf('=');
            if (line.matches("\\[\\w+]")) {
                section = line.substring(1, line.length() - 1);
            } else if (mark > 0 && !line.startsWith("#")) {
                String name = section + "." + line.substring(0, mark);
                if (settings.put(name, line.substring(mark + 1)) != null) {
                    throw new IOException(file + " has " + name + " twice");
                }
            } else if (!line.isEmpty() && !line.startsWith("#")) {
                throw new IOException(file + " has a line that is no setting: " + line);
            }
        }
        return new UnitFile(settings);
    }

    String value(String name) {
        return Objects.requireNonNull(settings.get(name), name);
    }
}
