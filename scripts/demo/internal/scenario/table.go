package scenario

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// table sets what the versions came to side by side.
func (t *teller) table(versions []version, outcomes []outcome) {
	names, _ := outcomes[0].rows()
	columns := [][]string{append([]string{""}, names...)}
	for i, o := range outcomes {
		_, values := o.rows()
		columns = append(columns, append([]string{versions[i].name}, values...))
	}
	t.heading("In numbers:")
	for row := range columns[0] {
		t.line(tableLine(columns, row))
	}
}

// tableLine puts the names to the left and the values to the right.
func tableLine(columns [][]string, row int) string {
	line := pad(columns[0][row], width(columns[0]), false)
	for _, column := range columns[1:] {
		line += "  " + pad(column[row], width(column), true)
	}
	return line
}

func width(column []string) int {
	widest := 0
	for _, cell := range column {
		widest = max(widest, utf8.RuneCountInString(cell))
	}
	return widest
}

func pad(cell string, width int, right bool) string {
	space := strings.Repeat(" ", width-utf8.RuneCountInString(cell))
	if right {
		return space + cell
	}
	return fmt.Sprint(cell, space)
}
