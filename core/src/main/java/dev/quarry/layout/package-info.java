/// What pools a program asks for, and what a device makes of that request.
@NullMarked
package dev.quarry.layout;

import org.jspecify.annotations.NullMarked;
