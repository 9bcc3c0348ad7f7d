package dev.couchjobs.fdb;

import java.io.File;
import java.util.regex.Pattern;

/** Refuses names of places that look like another kind of place, or like a mistake. */
final class LocationNameCheck {
    private static final Pattern URL = Pattern.compile("[A-Za-z][A-Za-z0-9+.-]+:/.*");
    private static final Pattern ADDRESS = Pattern.compile("[^/\\\\]+:\\d+(:tls)?(,.*)?");

    private LocationNameCheck() {}

    static void check(String name) {
        String cure = cure(name);
        if (!cure.isEmpty()) {
            throw new IllegalArgumentException("\"" + name + "\" does not name a database: " + cure);
        }
    }

    private static String cure(String name) {
        if (name.isEmpty()) {
            return "it is empty. Say \"memory\" for a database in memory, or give the path of a directory or of a"
                    + " cluster file.";
        }
        if (name.startsWith("~")) {
            return "only a shell replaces ~ by a home directory. Give the whole path.";
        }
        if (URL.matcher(name).matches()) {
            return "it is a URL. Give the path of a directory or of a cluster file.";
        }
        if (ADDRESS.matcher(name).matches()) {
            return "an address alone does not name a cluster. Give the path of its cluster file, or the line in that"
                    + " file: description:id@" + name + ".";
        }
        if (!name.contains("/") && !name.contains(File.separator) && !name.endsWith(".cluster")) {
            return "say \"memory\" for a database in memory, or \"./" + name + "\" for that directory or cluster file.";
        }
        return "";
    }
}
