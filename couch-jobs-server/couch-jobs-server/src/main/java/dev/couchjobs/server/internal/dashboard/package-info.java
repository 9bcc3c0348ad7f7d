/** The files of the dashboard. What it shows comes from the API, as for every other client. */
@NullMarked
package dev.couchjobs.server.internal.dashboard;

import org.jspecify.annotations.NullMarked;
