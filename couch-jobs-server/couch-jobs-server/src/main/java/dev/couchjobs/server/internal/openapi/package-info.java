/** The OpenAPI document, which routes requests and checks them. */
@NullMarked
package dev.couchjobs.server.internal.openapi;

import org.jspecify.annotations.NullMarked;
