/** What a job document says: its plan, how far it is, and how two versions of it become one. */
@NullMarked
package dev.couchjobs.bridge.internal.document;

import org.jspecify.annotations.NullMarked;
