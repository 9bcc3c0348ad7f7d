package dev.couchjobs.fdb.testing;

import java.nio.file.Path;

/** Runs a cluster for the suites; the profile {@code docker} puts one on the class path. */
public interface ClusterProvider {

    /** {@return the cluster file of a cluster that is available, until this JVM ends} */
    Path start();
}
