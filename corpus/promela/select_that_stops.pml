/*
 * The choice of a value takes several steps with one text: to stop, or to look whether
 * there is another value, which changes nothing. Only after the former is it stuck.
 *
 * safety: deadlock
 */
#define N	4
byte here, there;

init {
	do
	:: select (there : 0 .. (N - 1)) -> here != there; here = there
	od
}
