/** What is left of jobs whose rows were moved into quarantine (rfc/016). Not for users. */
@NullMarked
package dev.couchjobs.internal.quarantine;

import org.jspecify.annotations.NullMarked;
