package dev.couchjobs.fdb;

/** What to say when FoundationDB's client is not on this machine. */
final class MissingClientHelp {
    private MissingClientHelp() {}

    /** {@return which file was looked for, where, and how it comes there} */
    static String missing(Throwable error) {
        String file = System.mapLibraryName("fdb_c");
        String named = System.getProperty("FDB_LIBRARY_PATH_FDB_C");
        return """
                FoundationDB's native client, which a cluster needs, does not load on %s %s: %s. \
                %s was looked for %s. \
                Install the package foundationdb-clients of version 7.3 \
                from https://github.com/apple/foundationdb/releases \
                (dpkg -i foundationdb-clients_7.3.*.deb, rpm -i foundationdb-clients-7.3.*.rpm), \
                or have -DFDB_LIBRARY_PATH_FDB_C name the file. \
                A directory instead of a cluster file needs no client.""".formatted(
                        System.getProperty("os.name"),
                        System.getProperty("os.arch"),
                        error.getMessage(),
                        file,
                        named != null
                                ? "at " + named + ", which FDB_LIBRARY_PATH_FDB_C names"
                                : "where the system's linker looks (LD_LIBRARY_PATH is "
                                        + System.getenv().getOrDefault("LD_LIBRARY_PATH", "not set") + ") and in "
                                        + System.getProperty("java.library.path"));
    }
}
