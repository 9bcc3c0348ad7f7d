/** couch-jobs over HTTP: {@link JobsServer} is a server, {@link JobsHttp} a servlet for another one. */
@NullMarked
package dev.couchjobs.server;

import org.jspecify.annotations.NullMarked;
